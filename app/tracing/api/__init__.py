"""The addresses of traces and of what is read off them, one router a noun."""

"""The JSON API, one router a noun."""

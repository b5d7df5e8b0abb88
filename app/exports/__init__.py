"""Traces to take away: the page as one file, what a notebook shows, and the files that the
command line writes."""

"""The words of the stage tables, each with its meaning and all its places: as an answer and as
a page."""

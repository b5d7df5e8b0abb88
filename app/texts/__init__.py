"""The three course texts: their sections, with all that shows them here, and their references."""

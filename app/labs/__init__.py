"""The course's small experiments: their addresses, their pages, and the numbers that the texts
print of them."""

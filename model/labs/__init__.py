"""The course's small experiments: each one a pure function from what can be moved to its numbers.

The operations of the stage table compute them, in float64 unless a docstring says otherwise; a
lab's limits stand beside it as constants.
"""

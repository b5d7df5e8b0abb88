"""What the process does about memory, for the whole of its life."""

LARGEST = 24 * 2**20
"""Bytes, more than all tensors of a trace have; glibc takes no hint beyond 32 MiB."""


def keep_freed() -> None:
    """Keep the memory of one trace for the next.

    glibc returns the end of its heap to the system as soon as 128 KiB are free there, so each
    trace of an encoder-decoder paid for 500 pages anew, half of its time. That limit follows the
    largest block that was ever freed; a block that is never written to costs nothing. Elsewhere
    this does nothing.
    """
    block = bytearray(LARGEST)
    del block

"""What every page shares, and the pages that are of no other room: the tracer, the checks, the
API reference, and where there is nothing."""

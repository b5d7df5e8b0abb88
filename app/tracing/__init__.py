"""A trace over HTTP: what can be asked of one, how its stages, figures, cells, checks and
gradients are written, and in which formats."""

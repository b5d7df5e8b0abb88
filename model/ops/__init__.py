"""The operations a stage can be made by, in NumPy alone: the second implementation.

Each class is one equation. `forward` computes it from its operands, the stage's inputs first and
its weights after them, in the dtype given; `backward` is its vector-Jacobian product, worked out
by hand; `explain` takes one cell of the result apart; `equation` prints it with the stage's own
symbols; `operation` says it in words. Nothing here knows torch, and nothing here knows which model
calls.

Shapes are written with the legend of this package: T position, S source, D d_model, H head,
K d_head, F any number of features, V vocab; `…` stands for any leading axes. There is no batch
axis: a trace is of one text.
"""

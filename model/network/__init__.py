"""The transformer in torch: what was trained, and what really runs.

Every module takes a `tap` and calls it wherever a stage of the table is made; `build.py` puts the
modules together. Nothing here knows the stage table or the NumPy operations.
"""

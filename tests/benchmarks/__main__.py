"""`make bench`: how fast Token Tracer is, as ratios that a busy machine cannot spoil much.

Every ratio is the median over interleaved rounds, with one torch thread and texts as long as the
context. A goal that is not met is printed as such; it is no failure. The page is measured in a
real Chromium.
"""

import os

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"  # read at import

import torch

from model import load
from model.config import PRESETS
from tests.benchmarks import cpu, page, serving
from tests.benchmarks.table import table
from tests.benchmarks.texts import texts
from tests.browser.chromium import NoBrowser, find
from tests.live import ROOT, running


def main() -> None:
    """Measure everything and print the table."""
    try:
        find()
    except NoBrowser as error:
        raise SystemExit(str(error)) from None
    torch.set_num_threads(1)
    model, *others = (load(ROOT / "checkpoints" / name) for name in PRESETS)
    windows = texts(model.config.context_length)
    lines = cpu.speed(model, others, windows, rounds=300)
    lines += cpu.sizes(model, windows[::40])
    with running() as server:
        lines += serving.requests(
            server.address, windows, form="safetensors", goal=serving.BINARY, rounds=80, calls=6
        )
        lines += serving.requests(
            server.address, windows, form="json", goal=None, rounds=20, calls=2
        )
        lines += page.measure(model, windows, server.address)
    print(table(lines))


if __name__ == "__main__":
    main()

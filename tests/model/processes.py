"""What the tests run in processes of their own: to be killed, or to be weighed.

They are forked from one that has torch imported already, so each starts at once.
"""

import multiprocessing
import resource
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import torch
import torch._dynamo  # an optimizer imports it at its first step, which takes seconds

from model import load, trace
from model.config import ModelConfig
from model.training.corpus import split
from model.training.loop import Recipe, train

PATIENCE = 60
OPERATIONS_OF_A_SAVE = 12
"""Four files, each opened under a passing name, given its mode, and renamed."""

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload([__name__])


@dataclass(frozen=True)
class Child:
    """A started process and our end of the pipe to it."""

    process: BaseProcess
    connection: Connection

    def receive(self) -> Any:
        """What the process sends next."""
        assert self.connection.poll(PATIENCE), "the process said nothing"
        return self.connection.recv()

    def kill(self) -> None:
        """End it as `kill -9` does."""
        self.process.kill()
        self.process.join(PATIENCE)


@contextmanager
def child(target: Callable[..., None], *arguments: object) -> Iterator[Child]:
    """Run `target(connection, *arguments)` in a process that does not outlive the block."""
    ours, theirs = CONTEXT.Pipe()
    process = CONTEXT.Process(target=target, args=(theirs, *arguments), daemon=True)
    process.start()
    theirs.close()
    started = Child(process, ours)
    try:
        yield started
    finally:
        started.kill()
        process.close()
        ours.close()


def train_until(connection: Connection, folder: Path, config: ModelConfig, moment: int) -> None:
    """Train, and stand still before the file operation of that number, counted from 1."""
    torch.set_num_threads(1)
    seen = 0

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal seen
        if event in ("open", "os.chmod", "os.rename") and ".saving-" in str(arguments[0]):
            seen += 1
            if seen == moment:
                connection.send(event)
                time.sleep(PATIENCE)

    sys.addaudithook(watch)
    text = "the cat has a hat. " * 20
    recipe = Recipe(steps=100, batch_size=4, learning_rate=1e-2, evaluate_every=1)
    train(config, split(text, config.context_length, b""), recipe, folder, command="", quiet=True)


def weigh_traces(connection: Connection, folder: Path, after: tuple[int, ...]) -> None:
    """Trace the longest text again and again; send the peak memory in bytes at these counts."""
    torch.set_num_threads(1)
    model = load(folder)
    text = model.tokenizer.vocabulary[-1] * model.config.context_length
    for count in range(1, max(after) + 1):
        trace(model, text)
        if count in after:
            unit = 1 if sys.platform == "darwin" else 1024
            connection.send(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit)

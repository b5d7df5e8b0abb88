"""All the state of the server: the loaded models, and who may work on slow answers."""

import asyncio
import logging
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TypeVar

from app.server.errors import Busy, NoModel
from app.server.practice import Practice
from app.server.settings import Settings
from model.checkpoint import WEIGHTS, LoadedModel, load
from model.errors import CheckpointError, TextError, UnknownModel, quoted
from model.question import Question
from model.reading import pieces_of, with_line_feeds
from model.tracing import Trace, trace

log = logging.getLogger(__name__)
MODEL_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
Result = TypeVar("Result")


class Service:
    """Loaded once, when the app starts. Models never change after that, so requests share them
    freely; a model id is only ever looked up in what was loaded, never on the disk."""

    def __init__(self, settings: Settings, practice: Practice | None = None) -> None:
        self.settings = settings
        self.practice = practice or Practice(())
        self.problems: dict[str, str] = {}
        """Why a checkpoint folder is not served, by its name."""
        self.models: dict[str, LoadedModel] = self._load_all(settings.checkpoints)
        self._warn_of_settings()
        self._executor = ThreadPoolExecutor(settings.slow_workers, thread_name_prefix="slow")
        self._admitted = 0

    def model(self, model_id: str | None = None) -> LoadedModel:
        """A served model; the default one when no id is given.

        Raises:
            NoModel: nothing could be loaded.
            UnknownModel: no model of that id.
        """
        if not self.models:
            raise NoModel(f"No model could be loaded. {self.reason()}")
        wanted = self.default_id if model_id is None else model_id
        if wanted not in self.models:
            raise UnknownModel(
                f"There is no model {quoted(wanted)}; this server has {', '.join(self.models)}.",
                field="model",
            )
        return self.models[wanted]

    @property
    def default_id(self) -> str:
        """The configured default where it is served, else the first that is."""
        configured = self.settings.default_model
        return configured if configured in self.models else next(iter(self.models))

    def reason(self) -> str:
        """Why the server is not ready, in a sentence."""
        listed = " ".join(self.problems.values())
        return listed or "The checkpoints folder holds no model; set TRACER_CHECKPOINTS."

    async def trace(
        self,
        model: LoadedModel,
        question: Question,
        *,
        gradients: bool = False,
        weight_gradients: bool = False,
    ) -> Trace:
        """Trace a question. That takes a few milliseconds and runs inline, unless gradients are
        asked for, or the model has to write the target first, one piece after the other.

        Raises:
            TextError: the model cannot read that.
            Busy: see `slowly`.
        """
        work = partial(
            trace, model, question, gradients=gradients, weight_gradients=weight_gradients
        )
        writes = model.config.writes and question.target is None
        return await self.slowly(work) if writes or gradients or weight_gradients else work()

    async def slowly(self, work: Callable[[], Result]) -> Result:
        """Do work that would hold the event loop for more than a few milliseconds on a thread.

        Raises:
            Busy: as many requests wait already as the settings allow.
        """
        allowed = self.settings.slow_workers + self.settings.slow_waiting
        if self._admitted >= allowed:
            raise Busy(
                f"{self._admitted} requests are being worked on, the limit is {allowed}. "
                "Try again in a second."
            )
        self._admitted += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._executor, work)
        finally:
            self._admitted -= 1

    def _warn_of_settings(self) -> None:
        """Settings that name what the models do not have: said at the start, and by /health."""
        if not self.models:
            return
        named = self.settings.default_model
        if named not in self.models:
            self.problems["TRACER_DEFAULT_MODEL"] = (
                f"There is no model {quoted(named)} to be the default; {self.default_id} is."
            )
        if not readable(self.model(), self.settings.text):
            self.problems["TRACER_TEXT"] = (
                f"The opening text {quoted(self.settings.text)} cannot be read by "
                f"{self.default_id}; another one is used."
            )
        for name in ("TRACER_DEFAULT_MODEL", "TRACER_TEXT"):
            if name in self.problems:
                log.warning("%s", self.problems[name])

    def close(self) -> None:
        """End the threads."""
        self._executor.shutdown(cancel_futures=True)

    def _load_all(self, root: Path) -> dict[str, LoadedModel]:
        models: dict[str, LoadedModel] = {}
        if not root.is_dir():
            self.problems["checkpoints"] = (
                f"The checkpoints folder {quoted(str(root), 200)} "
                f"{'is no folder' if root.exists() else 'does not exist'}."
            )
            return models
        for folder in sorted(root.iterdir()):
            if folder.name.startswith(".") or not (folder.is_dir() or folder.is_symlink()):
                continue
            try:
                models[folder.name] = _load(folder)
            except (CheckpointError, OSError) as error:
                reason = (
                    f"{quoted(folder.name)} cannot be read: {error.strerror}."
                    if isinstance(error, OSError)
                    else error.message
                )
                log.warning("%s is not served: %s", folder.name, reason)
                self.problems[folder.name] = reason
        return models


def readable(model: LoadedModel, text: str) -> bool:
    """Whether the model can trace the text as it stands."""
    try:
        pieces_of(model, with_line_feeds(text)[0])
    except TextError:
        return False
    return True


def _load(folder: Path) -> LoadedModel:
    """Load a real folder, under a name fit for an id."""
    if not MODEL_ID.fullmatch(folder.name):
        raise CheckpointError(
            f"The folder name {quoted(folder.name)} is no model id: use letters, digits, '.', '_' "
            "and '-'."
        )
    if folder.is_symlink():
        raise CheckpointError(f"{folder.name} is a link, and links are not followed; refused.")
    if WEIGHTS not in (path.name for path in folder.iterdir()):
        raise CheckpointError(f"{folder.name} has no {WEIGHTS} (yet).")
    return load(folder)

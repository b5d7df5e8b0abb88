"""A lesson for one text: the questions as they are asked, and what is answered to a prediction."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from app.lessons.answers import FUNCTIONS
from app.lessons.judging import judge, shown, shown_answer, within
from app.lessons.lesson import Derivation, Lesson, QuestionKind, Read, Step, named
from app.lessons.notation import symbols_of
from app.lessons.scene import Scene, places, staged, stretched
from app.tracing.mathml import mathml
from model.characters import in_one_line
from model.checkpoint import LoadedModel
from model.errors import InputError, TextError, quoted

Models = Callable[[str], LoadedModel]
"""A served model by its id; raises UnknownModel."""


class StepError(InputError):
    """A step that a lesson does not have, or that lacks what the reader is to pick."""

    code = "invalid_step"


class Fact(str):
    """What a sentence names in braces. After a colon the sentence can have two wordings, for 1 and
    for other numbers, with # for the number: {n:# character|# characters}."""

    def __format__(self, wordings: str) -> str:
        one, bar, many = wordings.partition("|")
        return (one if self == "1" else many).replace("#", self) if bar else str(self)


@dataclass
class Reader:
    """One reader's text, and the scenes that steps have made of it."""

    models: Models
    text: str
    _scenes: dict[tuple[str, Read], Scene] = field(default_factory=dict)

    def scene(self, model: str, read: Read) -> Scene:
        """What a model makes of the text; the same one for every step that asks.

        Raises:
            UnknownModel, TextError: it is not served, or cannot read that.
        """
        if (model, read) not in self._scenes:
            scene = staged(self.models(model), self.text, read)
            assert scene.traced is not None  # what cannot be read is refused here
            self._scenes[model, read] = scene
        return self._scenes[model, read]

    def of_step(self, step: Step) -> Scene:
        """What a step looks at.

        Raises:
            TextError: the text is too short for it, or cannot be read.
        """
        scene = self.scene(step.model, step.read)
        if len(scene.traced.text) < step.least:
            raise TextError(
                f"This step needs a text of at least {step.least} characters.", field="text"
            )
        return scene

    def call(self, step: Step, call: Derivation, **picked: Any) -> Any:
        """What a function of a step says of the text."""
        own = call.model is None
        scene = self.scene(call.model or step.model, step.read if own else Read.AS_IT_IS)
        return FUNCTIONS[call.function].call(scene, **call.parameters | picked)


def asked(lesson: Lesson, models: Models, text: str) -> list[dict[str, Any]]:
    """Every step as it is asked of this text; one that cannot be asked says why."""
    reader = Reader(models, text)
    return [_asked(reader, number, step) for number, step in enumerate(lesson.steps, 1)]


def _asked(reader: Reader, number: int, step: Step) -> dict[str, Any]:
    try:
        scene = reader.of_step(step)
        reading, symbols = _reading(scene), symbols_in(reader, step, scene)
        said, refusal = _sentences(reader, step), None
    except InputError as error:
        said, refusal = {"say": "", "ask": ""}, error.message
        reading, symbols = {"text": reader.text, "target": None, "hidden": []}, {}
    return {
        "number": number,
        "key": step.key,
        "title": step.title,
        "model": step.model,
        "stage": step.stage,
        "before": step.before,
        "head": step.head,
        "gradient": step.gradient,
        "reading": reading,
        "picks": list(step.picks),
        **said,
        "kind": step.kind.value,
        "axes": list(step.axes),
        "symbols": list(symbols),
        "within": within(step) if step.kind is QuestionKind.NUMBER else None,
        "options": [{"key": option.key, "text": option.text} for option in step.options],
        "source": step.source,
        "see": [link.model_dump() for link in step.see],
        "refusal": refusal,
    }


def _sentences(reader: Reader, step: Step) -> dict[str, str]:
    facts = _facts(reader, step, step.say + step.ask)
    return {"say": step.say.format_map(facts), "ask": step.ask.format_map(facts)}


def _reading(scene: Scene) -> dict[str, Any]:
    question = scene.question
    return {"text": question.text, "target": question.target, "hidden": list(question.hidden)}


def answered(
    lesson: Lesson,
    models: Models,
    text: str,
    number: int,
    prediction: str | None,
    *,
    length: int | None = None,
    stage: str | None = None,
) -> dict[str, Any]:
    """The answer to a step, computed from the text's own tensors, and what it makes of a
    prediction; None is no prediction. `length` and `stage` are what the step lets a reader pick.

    Raises:
        StepError, PredictionError, TextError, UnknownModel, UnknownStage
    """
    if number > len(lesson.steps):
        raise StepError(
            f"The lesson {lesson.name} has no step {number}; it has the steps 1 to "
            f"{len(lesson.steps)}.",
            field="step",
        )
    step = lesson.steps[number - 1]
    _require(step, length, stage, models)
    reader = Reader(models, text if length is None else stretched(text, length))
    scene = reader.of_step(step)
    key = stage or step.stage
    picked = {} if stage is None else {"stage": stage}
    answer = reader.call(step, step.answer, **picked)
    verdict = None
    if prediction is not None:
        verdict = judge(step, prediction, answer, symbols_in(reader, step, scene))
    facts = _facts(reader, step, step.reveal)
    told = shown(answer) if step.kind is QuestionKind.NUMBER else shown_answer(step, answer)
    facts |= {
        "answer": Fact(told),
        "length": Fact(shown(len(scene.traced.text))),
        "tensor": "" if key is None else scene.stage(key).title,
    }
    return {
        "lesson": lesson.name,
        "step": number,
        "model": step.model,
        "stage": key,
        "reading": _reading(scene),
        "right": None if verdict is None else verdict.right,
        "prediction": None if verdict is None else verdict.understood,
        "difference": verdict.difference if verdict else "",
        "answer": shown_answer(step, answer),
        "reveal": step.reveal.format_map(facts),
        "misconception": step.misconception,
        "mathml": None if step.equation is None else mathml(step.equation),
        "mark": _mark(scene, step, key, answer),
        "notices": list(scene.traced.notices),
    }


def _require(step: Step, length: int | None, stage: str | None, models: Models) -> None:
    for name, given in (("length", length), ("stage", stage)):
        wanted = name in step.picks
        if wanted and given is None:
            raise StepError(f"This step needs a {name} of your own; give one.", field=name)
        if not wanted and given is not None:
            raise StepError(f"This step lets you pick no {name}; leave it out.", field=name)
    longest = models(step.model).config.context_length
    if length is not None and length > longest:
        raise StepError(
            f"The length is {length}, but the model reads at most {longest} characters.",
            field="length",
        )
    if stage is not None and stage not in {s.key for s in models(step.model).stages}:
        raise StepError(
            f"{step.model} has no stage {quoted(stage)}; /api/v1/stages lists them.", field="stage"
        )


def symbols_in(reader: Reader, step: Step, scene: Scene) -> dict[str, int]:
    """The symbols that a shape or a number may be written in: those that the step has; else sizes
    of the reader's text, or of the lengths that the step itself names. In a formula N − 1 is no
    symbol but a difference."""
    if step.kind not in (QuestionKind.SHAPE, QuestionKind.NUMBER):
        return {}
    if step.symbols is not None:
        return {
            name: int(reader.call(step, step.facts[size])) if isinstance(size, str) else size
            for name, size in step.symbols.items()
        }
    lengths = scene.traced.reading.lengths
    own = {name: step.answer.parameters.get(name) for name in ("text", "target")}
    if step.answer.function == "shape_for":
        lengths = lengths._replace(**{name: size for name, size in own.items() if size})
    found = symbols_of(scene.stages, scene.config, lengths)
    if step.kind is QuestionKind.SHAPE:
        return found
    return {name: size for name, size in found.items() if "−" not in name}


def _mark(scene: Scene, step: Step, key: str | None, answer: Any) -> list[int] | None:
    """The cell of the stage that the answer is about: the step's own, or the one found."""
    if key is None:
        return None
    shape = scene.array(key).shape
    found = (*step.mark, *answer[0]) if step.kind is QuestionKind.CELL else step.mark
    return list(places(found, shape)) if len(found) == len(shape) and 0 not in shape else None


def _facts(reader: Reader, step: Step, sentences: str) -> dict[str, str]:
    """What sentences name: the step's facts that occur there, and what all may name."""
    text = reader.scene(step.model, step.read).traced.text
    called: Mapping[str, Derivation] = {
        name: call for name, call in step.facts.items() if name in named(sentences)
    }
    return {
        "n": Fact(shown(len(text))),
        "text": f"“{in_one_line(text)}”",
        **{name: Fact(shown(reader.call(step, call))) for name, call in called.items()},
    }

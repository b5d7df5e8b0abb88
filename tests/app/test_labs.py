"""The labs over HTTP: the model package's numbers, within limits that are kept."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import orjson
import pytest
from starlette.testclient import TestClient

from model.config import PRESETS, ModelConfig
from model.labs.activations import activations
from model.labs.counting import counting, references
from model.labs.depth import depth
from model.labs.experiment import experiment
from model.labs.layernorm import layernorm
from model.labs.masking import masking
from model.labs.positions import positions
from model.labs.residuals import residuals
from model.labs.rules import MOST_TOKENS
from tests.app.answers import mismatches, problem, referred, strict

LABS = "/api/v1/labs"
NAMES = (
    "counting",
    "masking",
    "positions",
    "layernorm",
    "activations",
    "residuals",
    "experiment",
    "depth",
)
Query = dict[str, Any]

BESIDE: dict[tuple[str, str], Query] = {
    ("counting", "d_model"): {"n_heads": 1},
    ("counting", "n_heads"): {"d_model": 1024},
    ("masking", "position"): {"scores": [0] * 16},
    ("masking", "scores"): {"position": 0},
    ("layernorm", "gamma"): {"x": list(range(64))},
    ("layernorm", "beta"): {"x": list(range(64))},
    ("activations", "low"): {"high": 100},
    ("activations", "high"): {"low": -100},
}
"""What else an end of a parameter needs, where two must fit together."""
NEEDS_MORE = {("activations", "low", 100.0), ("activations", "high", -100.0)}
"""Ends that nothing fits: a range cannot begin at the largest input, nor end at the smallest."""


def parameters(openapi: dict[str, Any], lab: str) -> dict[str, dict[str, Any]]:
    """The description of each query parameter of a lab."""
    operation = openapi["paths"][f"{LABS}/{lab}"]["get"]
    return {p["name"]: referred(openapi, p["schema"]) for p in operation["parameters"]}


def ends(schema: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    """Each end of a parameter's range, with a value just beyond it."""
    if "enum" in schema:
        yield from ((value, "nothing") for value in schema["enum"])
    elif schema["type"] == "boolean":
        yield from ((value, "maybe") for value in (True, False))
    elif schema["type"] == "array":
        item = schema["items"]
        for length in (schema["minItems"], schema["maxItems"]):
            for low, beyond in ends(item):
                yield [low] * length, [low] * (length - 1) + [beyond]
        yield [0] * schema["maxItems"], [0] * (schema["maxItems"] + 1)
    else:
        step = schema.get("multipleOf", 1)
        last = schema["maximum"] if "maximum" in schema else schema["exclusiveMaximum"] - step
        yield schema["minimum"], schema["minimum"] - step
        yield last, last + step


def drawn(random: Random, schema: dict[str, Any]) -> Any:
    """A random allowed value."""
    if "enum" in schema:
        return random.choice(schema["enum"])
    if schema["type"] == "boolean":
        return random.random() < 0.5
    if schema["type"] == "array":
        length = random.randint(schema["minItems"], schema["maxItems"])
        return [drawn(random, schema["items"]) for _ in range(length)]
    low, high = schema["minimum"], schema.get("maximum", schema.get("exclusiveMaximum", 0) - 1)
    if schema["type"] == "integer":
        step = schema.get("multipleOf", 1)
        return random.randint(low // step, high // step) * step
    return random.choice([low, high, 0 if low <= 0 else low, random.uniform(low, high)])


def ask(client: TestClient, lab: str, query: Query) -> Any:
    return client.get(f"{LABS}/{lab}", params=query)


def fits(openapi: dict[str, Any], lab: str, response: Any) -> None:
    """A good answer has every number where the description promises one: nothing was NaN."""
    assert response.status_code == 200, response.text
    content = openapi["paths"][f"{LABS}/{lab}"]["get"]["responses"]["200"]["content"]
    schema = content["application/json"]["schema"]
    assert list(mismatches(openapi, schema, strict(response.content))) == []


def as_sent(content: Any) -> Any:
    return orjson.loads(orjson.dumps(content, option=orjson.OPT_SERIALIZE_NUMPY))


DEFAULTS: dict[str, Callable[[], Any]] = {
    "masking": lambda: masking([1, 2, 3], 1, 1),
    "positions": lambda: positions(512, 64, 3, 37),
    "layernorm": lambda: layernorm([2, 4, 6, 8]),
    "activations": lambda: activations(-4, 4, 161, 1),
    "residuals": lambda: residuals(12, 0.5),
    "experiment": lambda: experiment(),
    "depth": lambda: depth(12),
    "counting": lambda: {
        "counting": counting(PRESETS["shakespeare"]),
        "references": [{"name": name, "counting": known} for name, known in references()],
    },
}


@pytest.mark.parametrize("lab", NAMES)
def test_lab_answers_what_the_model_package_computes(client: TestClient, lab: str) -> None:
    assert strict(ask(client, lab, {}).content) == as_sent(DEFAULTS[lab]())


MOVED: list[tuple[str, Query, Callable[[], Any]]] = [
    ("masking", {"scores": [3, -1], "position": 0, "change": 2}, lambda: masking([3, -1], 0, 2)),
    (
        "positions",
        {"d_model": 8, "n_positions": 3, "position": 103, "shift": 7},
        lambda: positions(8, 3, 103, 7),
    ),
    (
        "layernorm",
        {"x": [1, 1, 1, 5], "gamma": [2], "beta": [1, 2, 3, 4], "epsilon": 0, "scale": 10},
        lambda: layernorm([1, 1, 1, 5], gamma=[2], beta=[1, 2, 3, 4], epsilon=0, scale=10),
    ),
    ("activations", {"low": 0, "high": 1, "n_points": 2, "at": -1},
     lambda: activations(0, 1, 2, -1)),
    ("residuals", {"depth": 3, "factor": -0.1, "seed": 9}, lambda: residuals(3, -0.1, 9)),
    ("experiment", {"seeds": 2}, lambda: experiment(2)),
]  # fmt: skip


@pytest.mark.parametrize(("lab", "query", "computed"), MOVED, ids=[lab for lab, *_ in MOVED])
def test_moved_lab_answers_what_the_model_package_computes(
    client: TestClient, lab: str, query: Query, computed: Callable[[], Any]
) -> None:
    assert strict(ask(client, lab, query).content) == as_sent(computed())


def test_counting_takes_every_choice(client: TestClient) -> None:
    for config in PRESETS.values():
        query = config.model_dump(exclude={"norm_epsilon"}) | {"tokens": MOST_TOKENS}
        found = strict(ask(client, "counting", query).content)["counting"]
        assert found == as_sent(counting(config, MOST_TOKENS))


@pytest.mark.parametrize("lab", NAMES)
def test_both_ends_of_every_parameter_are_kept(
    client: TestClient, openapi: dict[str, Any], lab: str
) -> None:
    for name, schema in parameters(openapi, lab).items():
        for end, beyond in ends(schema):
            beside = BESIDE.get((lab, name), {})
            assert problem(ask(client, lab, {**beside, name: beyond}), 422).field == name
            response = ask(client, lab, {**beside, name: end})
            unfit = isinstance(end, float) and (lab, name, end) in NEEDS_MORE
            if unfit:
                problem(response, 422)
            else:
                fits(openapi, lab, response)


@pytest.mark.parametrize("lab", NAMES)
def test_any_allowed_values_are_answered_or_refused(
    client: TestClient, openapi: dict[str, Any], random: Random, lab: str
) -> None:
    """Two at a time differ from the defaults; what does not fit together is a 422."""
    schemas = parameters(openapi, lab)
    answered = 0
    for _ in range(6):
        moved = random.sample(sorted(schemas), min(2, len(schemas)))
        response = ask(client, lab, {name: drawn(random, schemas[name]) for name in moved})
        if response.status_code == 200:
            answered += 1
            fits(openapi, lab, response)
        else:
            assert problem(response, 422).field is not None
    assert answered


@pytest.mark.parametrize("lab", NAMES)
@pytest.mark.parametrize("value", ["nan", "inf", "1e400", "", "one", "\0", "9" * 5000])
def test_no_number_is_refused_naming_the_field(
    client: TestClient, openapi: dict[str, Any], lab: str, value: str
) -> None:
    for name, schema in parameters(openapi, lab).items():
        if schema.get("type") in ("integer", "number", "array"):
            assert problem(ask(client, lab, {name: value}), 422).field == name


@pytest.mark.parametrize("lab", NAMES)
def test_misspelt_parameter_is_refused(client: TestClient, lab: str) -> None:
    assert problem(ask(client, lab, {"nothing": 1}), 422).field == "nothing"


@pytest.mark.parametrize(
    ("lab", "query", "field"),
    [
        ("counting", {"n_heads": 3}, "d_model"),
        ("counting", {"position": "rotary", "d_model": 4}, "position"),
        ("masking", {"position": 3}, "position"),
        ("positions", {"d_model": 5}, "d_model"),
        ("layernorm", {"gamma": [1, 2]}, "gamma"),
        ("layernorm", {"beta": [1, 2, 3]}, "beta"),
        ("layernorm", {"x": [7, 7], "epsilon": 0}, "epsilon"),
        ("activations", {"low": 2, "high": 1}, "high"),
    ],
)
def test_what_does_not_fit_together_is_refused(
    client: TestClient, lab: str, query: Query, field: str
) -> None:
    assert problem(ask(client, lab, query), 422).field == field


def test_counting_has_the_fields_of_the_configuration(openapi: dict[str, Any]) -> None:
    """With the default preset's values as defaults; and the tokens of a training."""
    found = parameters(openapi, "counting")
    assert found.pop("tokens")["default"] == 10**9
    assert found.keys() == ModelConfig.model_fields.keys() - {"norm_epsilon"}
    default = PRESETS["shakespeare"].model_dump()
    for name, schema in found.items():
        assert schema["default"] == default[name]
        if schema.get("type") == "integer":
            assert schema["minimum"] == 1


@pytest.mark.parametrize(
    ("query", "field", "ways_out"),
    [
        ({"wiring": "pre-ln"}, "wiring", ("pre-ln", "choose post-ln")),
        ({"position": "rotary"}, "position", ("rotary", "choose learned or sinusoidal")),
    ],
)
def test_encoder_decoder_refuses_a_choice_and_names_its_field(
    client: TestClient, query: dict[str, str], field: str, ways_out: tuple[str, ...]
) -> None:
    asked = {"architecture": "encoder-decoder"} | query
    response = client.get("/api/v1/labs/counting", params=asked)
    error = response.json()["error"]
    assert (response.status_code, error["field"]) == (422, field)
    assert all(words in error["message"] for words in ways_out)

"""What the colours of a picture tell: how far they reach, which sign, and what is beyond."""

import math
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from app.tracing.figures import KINDS, limit, value_range
from app.tracing.palettes import LIMIT_AT, PALETTES, SYMMETRIC, UNIT, Scale
from model import LoadedModel, trace
from model.ops.op import Array
from model.table.stage import Kind

API = "/api/v1"
DIVERGING = [
    (kind, name)
    for kind in (Kind.SIGNED, Kind.SCORES)
    for name in PALETTES[kind]
]  # fmt: skip
CLEARLY = 25
"""Steps of CIE lightness, of which black to white has 100, between the two ends."""


def lightness(colour: str) -> float:
    """CIE L* of a colour #rrggbb: what is left of it in grey print."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    luminance = float(np.dot(linear, [0.2126, 0.7152, 0.0722]))
    return 116 * math.cbrt(luminance) - 16 if luminance > 0.008856 else 903.3 * luminance


@pytest.fixture
def features() -> Array:
    """64 features of 40 positions."""
    return np.random.default_rng(7).normal(size=(40, 64)).astype(np.float32)


@pytest.mark.parametrize("factor", [500.0, 1e9])
def test_one_huge_feature_in_64_leaves_the_limit_where_it_is(
    features: Array, factor: float
) -> None:  # F03
    huge = features.copy()
    huge[:, 17] *= factor
    before, after = limit(features, LIMIT_AT), limit(huge, LIMIT_AT)
    assert before <= after < 1.25 * before
    others = np.abs(np.delete(huge, 17, axis=1))
    assert np.quantile(others, 0.5) > 0.2 * after  # they have colours, not one grey


def test_zeros_and_what_is_not_finite_have_no_part_in_the_limit(features: Array) -> None:
    sparse = np.concatenate([features, np.zeros((4000, 64), np.float32)])
    sparse[100, :] = [-np.inf, np.nan] * 32
    assert limit(sparse, LIMIT_AT) == limit(features, LIMIT_AT)


@pytest.mark.parametrize("array", [[], [0.0, 0.0], [math.nan, -math.inf]])
def test_a_range_has_a_width_where_there_is_no_number(array: list[float]) -> None:
    assert value_range(SYMMETRIC, np.array(array, np.float32), 65) == (-1.0, 1.0)


def test_probabilities_run_to_1_or_when_asked_to_the_largest() -> None:  # F04
    small = np.array([[0.01, 0.03], [0.02, 0.0]], np.float32)
    assert value_range(UNIT, small, 65) == (0.0, 1.0)
    assert value_range(UNIT, small, 65, scale=Scale.LARGEST) == (0.0, float(np.float32(0.03)))


def test_largest_clips_nothing(features: Array) -> None:
    low, high = value_range(SYMMETRIC, features, 65, scale=Scale.LARGEST)
    assert high == -low == np.abs(features).max()


@pytest.mark.parametrize(("kind", "palette"), DIVERGING)
def test_grey_print_tells_the_sign(kind: Kind, palette: str) -> None:  # F20
    lights = [lightness(colour) for colour in PALETTES[kind][palette]]
    at = np.linspace(0, len(lights) - 1, 101)
    shades = np.interp(at, range(len(lights)), lights)
    lead = shades[51:] - shades[:50][::-1]  # of +x before −x
    assert (np.diff(lead) > 0).all()
    assert lead[-1] > CLEARLY


def test_figure_marks_what_is_beyond_either_end(client: TestClient, model: LoadedModel) -> None:
    sent = {"text": "To be, or not", "stage": "blocks.0.ffn.hidden"}
    figure = client.post(f"{API}/figures", json=sent).json()
    high = figure["layout"]["coloraxis"]["cmax"]
    array = trace(model, sent["text"]).array(sent["stage"])
    (marks,) = (one for one in figure["data"] if one["type"] == "scatter")
    found = dict(
        zip(zip(marks["y"], marks["x"], strict=True), marks["marker"]["symbol"], strict=True)
    )
    expected = {
        (row, column): "triangle-up" if array[row, column] > high else "triangle-down"
        for row, column in np.argwhere(np.abs(array) > high).tolist()
    }
    assert found == expected
    assert set(expected.values()) == {"triangle-up", "triangle-down"}


def test_figure_is_stretched_when_asked_and_says_so(client: TestClient) -> None:  # F04
    sent: dict[str, Any] = {"text": "to b", "stage": "probabilities"}
    usual = client.post(f"{API}/figures", json=sent).json()["layout"]["coloraxis"]
    stretched = client.post(f"{API}/figures", json=sent | {"scale": "largest"}).json()
    axis = stretched["layout"]["coloraxis"]
    assert (usual["cmin"], usual["cmax"]) == (0, 1)
    largest = max(value for row in stretched["data"][0]["z"] for value in row)
    assert np.float32(axis["cmax"]) == np.float32(largest) < 1
    assert "largest" in axis["colorbar"]["ticktext"][-1]


def test_unknown_scale_is_refused(client: TestClient) -> None:
    sent = {"text": "to b", "stage": "probabilities", "scale": "log"}
    error = client.post(f"{API}/figures", json=sent)
    assert error.status_code == 422
    assert error.json()["error"]["field"] == "scale"


def test_share_of_the_limit_travels_with_the_kinds(client: TestClient) -> None:
    kinds = client.get(f"{API}/stages").json()["kinds"]
    assert {kind["limit_at"] for kind in kinds.values()} == {LIMIT_AT}
    assert set(kinds) == set(KINDS)

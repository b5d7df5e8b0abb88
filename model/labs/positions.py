"""Sinusoidal positions: wavelengths, the shift that is a rotation, dot products (module 7.1)."""

from dataclasses import dataclass
from math import tau

import numpy as np

from model.config import PRESETS, Position
from model.counting import itemised
from model.errors import InputError
from model.ops.op import Array
from model.ops.positions import Sinusoids, angles

WIDEST = 1024
MOST_POSITIONS = 128
LAST_POSITION = 9_999
LARGEST_SHIFT = 1_000
FITTED_POSITIONS = 1_000


@dataclass(frozen=True)
class Pair:
    """Features 2i and 2i+1. Its hand turns by `frequency` ω_i radians a position and comes round
    after `wavelength` 2π/ω_i of them; it stands at `angle` at the chosen position and at
    `shifted_angle` k positions on, both from 0 to 2π. `rotation` is the shift matrix
    [[cos ω_i k, sin ω_i k], [−sin ω_i k, cos ω_i k]], which knows k and no position; `fitted` is
    the matrix that least squares finds."""

    pair: int
    frequency: float
    wavelength: float
    angle: float
    shifted_angle: float
    turn: float
    rotation: Array
    fitted: Array


@dataclass(frozen=True)
class Fit:
    """The best 2 × 2 map, pair by pair, from every position 0 to `n_positions` − 1 to the one k
    further, by least squares in float32: its largest error, and its largest distance from the
    rotation."""

    n_positions: int
    largest_error: float
    largest_distance: float


@dataclass(frozen=True)
class Products:
    """The dot product of two positions that are `gap` apart, Σ_i cos(ω_i gap), for gaps 0, 1, 2…;
    and how much it varies with where the two stand, among the table's positions."""

    by_gap: Array
    largest_variation: float


@dataclass(frozen=True)
class Costs:
    """The parameters that positions cost a model of this width whose context is the table's
    length: counted by formula and from the tensors, for a learned table and for sinusoids."""

    learned_by_formula: int
    learned_from_tensors: int
    sinusoidal_by_formula: int
    sinusoidal_from_tensors: int


@dataclass(frozen=True)
class Positions:
    """The encoding, (n_positions, d_model) float32, and its properties. `rotation_error` is the
    largest difference between a position's rotated pairs and those k further on, in float64, over
    positions 0 to 999. `encoded` are the vectors of the two positions, which may lie beyond the
    table."""

    d_model: int
    position: int
    shift: int
    table: Array
    encoded: Array
    pairs: tuple[Pair, ...]
    rotation_error: float
    fit: Fit
    products: Products
    costs: Costs


def positions(d_model: int, n_positions: int, position: int, shift: int) -> Positions:
    """The encoding of positions 0 to n_positions − 1, and what moving `shift` positions on from
    `position` does: every pair turns by ω_i · shift, wherever it starts.

    At d_model 512 the wavelengths are 6.28 for pair 0, 63 for pair 64 and 60,600 for the last.

    Raises:
        InputError: d_model is odd, so that a sine would have no cosine.
    """
    if d_model % 2:
        raise InputError(
            f"d_model {d_model} is odd; sines and cosines come in pairs, so choose an even one.",
            field="d_model",
        )
    frequencies = angles(2, d_model)[1]
    turns = frequencies * shift
    rotations = _rotations(turns)
    encoded = Sinusoids(d_model).forward(np.zeros(FITTED_POSITIONS + shift))
    pairs = np.ascontiguousarray(encoded.reshape(-1, d_model // 2, 2).swapaxes(0, 1))
    start, end = pairs[:, :FITTED_POSITIONS], pairs[:, shift:]
    fitted, fit = _fit(start.astype(np.float32), end.astype(np.float32), rotations)
    standing = np.outer([position, position + shift], frequencies) % tau
    table = Sinusoids(d_model).forward(np.zeros(n_positions))
    return Positions(
        d_model=d_model,
        position=position,
        shift=shift,
        table=table.astype(np.float32),
        encoded=_encoded(standing),
        pairs=tuple(
            Pair(
                pair=i,
                frequency=float(frequencies[i]),
                wavelength=float(tau / frequencies[i]),
                angle=float(standing[0, i]),
                shifted_angle=float(standing[1, i]),
                turn=float(turns[i]),
                rotation=rotations[i],
                fitted=fitted[i],
            )
            for i in range(d_model // 2)
        ),
        rotation_error=float(np.abs(_mapped(rotations, start) - end).max()),
        fit=fit,
        products=_products(table),
        costs=_costs(d_model, n_positions),
    )


def _encoded(standing: Array) -> Array:
    """Sine and cosine in turn of (positions, pairs) angles: (positions, d_model)."""
    return np.stack([np.sin(standing), np.cos(standing)], -1).reshape(len(standing), -1)


def _costs(d_model: int, context_length: int) -> Costs:
    sizes = {"d_model": d_model, "context_length": context_length, "n_heads": 1}
    counted = {}
    for kind in (Position.LEARNED, Position.SINUSOIDAL):
        config = PRESETS["shakespeare"].having(**sizes | {"position": kind})
        items = [item for item in itemised(config) if item.name == "positions"]
        counted[f"{kind}_by_formula"] = sum(item.by_formula for item in items)
        counted[f"{kind}_from_tensors"] = sum(item.from_tensors for item in items)
    return Costs(**counted)


def _rotations(turns: Array) -> Array:
    """[[cos, sin], [−sin, cos]] of each angle: (pairs, 2, 2)."""
    cos, sin = np.cos(turns), np.sin(turns)
    return np.stack([np.stack([cos, sin], -1), np.stack([-sin, cos], -1)], -2)


def _mapped(maps: Array, pairs: Array) -> Array:
    """Every pair through its own map: (pairs, 2, 2), (pairs, positions, 2)."""
    return pairs @ maps.swapaxes(1, 2)


def _fit(start: Array, end: Array, rotations: Array) -> tuple[Array, Fit]:
    solved = [np.linalg.lstsq(x, y)[0] for x, y in zip(start, end, strict=True)]
    fitted = np.ascontiguousarray(np.stack(solved).swapaxes(1, 2))
    return fitted, Fit(
        n_positions=FITTED_POSITIONS,
        largest_error=float(np.abs(_mapped(fitted, start) - end).max()),
        largest_distance=float(np.abs(fitted - rotations).max()),
    )


def _products(table: Array) -> Products:
    products = table @ table.T
    diagonals = [products.diagonal(gap) for gap in range(len(table))]
    return Products(
        by_gap=products[0],
        largest_variation=max(float(np.ptp(diagonal)) for diagonal in diagonals),
    )

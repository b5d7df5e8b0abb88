"""The numbers that the texts print of the labs' subjects, each beside the one computed here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from model.labs.positions import FITTED_POSITIONS

MODULE, LESSON, CHAPTER = "module 7", "lesson 56", "the NumPy chapter"


@dataclass(frozen=True)
class Claim:
    """One number of a text: where it says so, of what, the figure as it is printed and as a
    number, how far the computed one may differ, in which setting of the lab, and where in the
    lab's result it stands."""

    where: str
    what: str
    printed: str
    says: float
    within: float
    take: Callable[[Any], float]
    setting: Mapping[str, Any] = field(default_factory=dict)
    bound: bool = False
    """Whether the text's number is an error of its own, which ours must not exceed: another fit
    comes to another size."""


@dataclass(frozen=True)
class Compared:
    """A claim with the number computed here."""

    claim: Claim
    computed: float

    @property
    def agrees(self) -> bool:
        return abs(self.computed - self.claim.says) <= self.claim.within

    @property
    def verdict(self) -> str:
        """What was compared, and which way the two differ."""
        claim = self.claim
        if claim.bound:
            if not self.agrees:
                return "differ: the computed one is larger"
            return "do not contradict: the computed one is the smaller"
        if self.computed == claim.says:
            return "are equal"
        way = "larger" if self.computed > claim.says else "smaller"
        if self.agrees:
            return f"agree as far as the text prints it; the computed one is {way}"
        return f"differ: the computed one is {way}"


FOUR: dict[str, Any] = {"x": [2.0, 4.0, 6.0, 8.0]}
EXERCISE: dict[str, Any] = {"x": [1.0, 1.0, 1.0, 5.0]}
PAPER: dict[str, Any] = {"d_model": 512}
LESSON_SIZES: dict[str, Any] = {
    "vocab_size": 1000, "context_length": 128, "wiring": "pre-ln", "tied_head": True,
}  # fmt: skip
HIDDEN_THIRD: dict[str, Any] = {"scores": [1.0, 2.0, 3.0], "position": 1}


def _after(step: int) -> Callable[[Any], float]:
    """The last feature after a step of LayerNorm."""
    return lambda found: found.layer_norm[step].values[-1]


def _pair(number: int) -> Callable[[Any], float]:
    return lambda found: found.pairs[number].wavelength


def _item(name: str) -> Callable[[Any], float]:
    return lambda found: next(i.each for i in found["counting"].items if i.name == name)


def _reference(name: str, part: str) -> Callable[[Any], float]:
    return lambda found: float(getattr(found["references"][name], part))


def _passed(title: str, axis: int) -> Callable[[Any], float]:
    return lambda found: next(t.shape[axis] for t in found.tiny.shapes if t.title == title)


def _curve(number: int) -> Callable[[Any], float]:
    return lambda found: found.curves[number].value


GELU = 1

CLAIMS: dict[str, tuple[Claim, ...]] = {
    "positions": (
        Claim(MODULE, "wavelength of pair 0", "6.28", 6.28, 0.005, _pair(0), PAPER),
        Claim(MODULE, "wavelength of pair 64 at width 512", "63", 63, 0.5, _pair(64), PAPER),
        Claim(MODULE, "wavelength of the last pair at width 512", "60,600", 60_600, 50, _pair(255),
              PAPER),
        *(
            Claim(MODULE, f"largest error of the fitted shift by {k}, {FITTED_POSITIONS:,} "
                  "positions, one map for each pair; the text fits one map for all", "2.9e-6",
                  0, 2.9e-6, lambda found: found.fit.largest_error, {"shift": k}, True)
            for k in (1, 7, 25)
        ),
        Claim(MODULE, "parameters of a learned table, 64 × 64", "4,096", 4096, 0,
              lambda found: found.costs.learned_from_tensors, {"d_model": 64}),
        Claim(MODULE, "parameters of sinusoids", "0", 0, 0,
              lambda found: found.costs.sinusoidal_from_tensors, {"d_model": 64}),
    ),
    "layernorm": (
        Claim(MODULE, "variance of [2, 4, 6, 8]", "5", 5, 0, _after(2), FOUR),
        Claim(MODULE, "last feature of LayerNorm of [2, 4, 6, 8]", "1.342", 1.342, 5e-4, _after(3),
              FOUR),
        Claim(LESSON, "the same with γ = 2 and β = 1", "3.68", 3.68, 5e-3, _after(5),
              FOUR | {"gamma": [2.0], "beta": [1.0]}),
        Claim(MODULE, "last feature of LayerNorm of [1, 1, 1, 5]", "1.732", 1.732, 2e-3, _after(3),
              EXERCISE),
        Claim(MODULE, "change when [2, 4, 6, 8] is doubled, at ε = 0", "0", 0, 0,
              lambda found: found.scale_difference, FOUR | {"scale": 2.0, "epsilon": 0.0}),
    ),
    "masking": (
        Claim(LESSON, "exponential of the score 2", "7.389", 7.389, 5e-4,
              lambda found: found.before.exponentials[1], HIDDEN_THIRD),
        Claim(LESSON, "sum of the exponentials", "10.107", 10.107, 5e-4,
              lambda found: found.before.exponentials_sum, HIDDEN_THIRD),
        Claim(LESSON, "weight of the score 1", "0.269", 0.269, 5e-4,
              lambda found: found.before.weights[0], HIDDEN_THIRD),
        Claim(LESSON, "weight of the score 2", "0.731", 0.731, 5e-4,
              lambda found: found.before.weights[1], HIDDEN_THIRD),
    ),
    "activations": (
        Claim(LESSON, "GELU of 1", "0.84", 0.84, 5e-3, _curve(GELU), {"at": 1.0}),
        Claim(LESSON, "GELU of 0", "0", 0, 0, _curve(GELU), {"at": 0.0}),
        Claim(LESSON, "GELU of −1", "−0.16", -0.16, 5e-3, _curve(GELU), {"at": -1.0}),
    ),
    "counting": (
        Claim(LESSON, "attention of a block", "16,640", 16_640, 0, _item("attention"),
              LESSON_SIZES),
        Claim(LESSON, "feed-forward network of a block", "33,088", 33_088, 0,
              _item("feed-forward"), LESSON_SIZES),
        Claim(LESSON, "a block", "49,984", 49_984, 0,
              lambda found: found["counting"].block.parameters, LESSON_SIZES),
        Claim(LESSON, "12 d² for it", "49,152", 49_152, 0,
              lambda found: found["counting"].block.twelve_d_squared, LESSON_SIZES),
        Claim(LESSON, "the model", "172,288", 172_288, 0,
              lambda found: found["counting"].from_tensors, LESSON_SIZES),
        Claim(MODULE, "GPT-2 small", "124 million", 124e6, 0.5e6,
              _reference("gpt2", "from_tensors")),
        Claim(MODULE, "its unembedding", "38.6 million", 38.6e6, 0.05e6,
              _reference("gpt2", "unembedding")),
        Claim(MODULE, "blocks of 24 × 1024", "302 million", 302e6, 1e6,
              _reference("gpt2-medium", "in_blocks")),
        Claim(MODULE, "GPT-2 Medium", "355 million", 355e6, 0.5e6,
              _reference("gpt2-medium", "from_tensors")),
        Claim(MODULE, "12 n d² + V d for GPT-2 small", "124 million", 124e6, 0.5e6,
              lambda found: found["references"]["gpt2"].rules.parameters.says),
        Claim(CHAPTER, "work of scores and mixing a token and layer, in T·d", "4", 4, 0,
              lambda found: found["counting"].flops.attention_per_token_and_layer / 64**2),
        Claim(CHAPTER, "training over forward, a token", "3", 3, 0,
              lambda found: found["counting"].rules.training_per_token
              / found["counting"].rules.inference_per_token),
        Claim(CHAPTER, "factor of 6 N D for twice the tokens", "2", 2, 0,
              lambda found: found["counting"].rules.doublings[1].times_compute),
        Claim(CHAPTER, "matrices of a SwiGLU block at h = 4d, in d²", "16", 16, 0,
              lambda found: found["counting"].block.matrices / 64**2, {"feed_forward": "swiglu"}),
    ),
    "residuals": (
        Claim(LESSON, "0.5 in twelve layers, without skips", "0.000244", 0.000244, 5e-7,
              lambda found: found.depths[-1].without_skips, {"depth": 12}),
        Claim(LESSON, "the direct path with skips", "1", 1, 0,
              lambda found: found.paths[0].contribution, {"depth": 12}),
    ),
    "depth": (
        *(
            Claim(LESSON, f"{what} of the tiny pass", printed, size, 0, _passed(title, axis))
            for what, printed, size, title, axis in (
                ("sequences", "2", 2, "Token ids", 0),
                ("tokens each", "4", 4, "Token ids", 1),
                ("features of an embedding", "8", 8, "Embeddings + positions", 2),
                ("heads", "2", 2, "Block 1 · attention weights", 1),
                ("scores a position", "10", 10, "Logits", 2),
            )
        ),
        Claim(LESSON, "largest weight above the diagonal", "0", 0, 0,
              lambda found: found.tiny.above_diagonal),
        Claim(LESSON, "change of earlier outputs by a later token", "0", 0, 1e-6,
              lambda found: found.tiny.earlier_moved),
    ),
    "gradient-check": (),
    "experiment": (),
}  # fmt: skip
"""By lab; what the last one measures is no figure of a text, and stands beside the text's there."""

"""The labs: for each its words, what it moves, and what the course texts say of it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from app.labs import schemas
from app.labs.controls import Move
from app.labs.schemas_counting import CountingRequest
from app.labs.schemas_depth import DepthRequest
from app.labs.schemas_experiment import ExperimentRequest
from app.labs.schemas_gradient_check import GradientCheckRequest
from app.server.schemas import Request
from model.labs.activations import activations
from model.labs.counting import configured, counting, references
from model.labs.depth import depth
from model.labs.experiment import experiment
from model.labs.layernorm import layernorm
from model.labs.masking import masking
from model.labs.positions import positions
from model.labs.residuals import residuals
from model.table import sections
from model.table.sections import Section

EIGHT = [2.0, 4.0, 6.0, 8.0, 1.0, 9.0, 3.0, 7.0]
FOUR = [2.0, 0.5, 1.0, 3.0]
GPT_2_XL = (
    "d_model=1600&d_ff=6400&n_blocks=48&n_heads=25&vocab_size=50257&context_length=1024"
    "&wiring=pre-ln&feed_forward=gelu-tanh&tied_head=true"
)
LLAMA_2 = (
    "d_model=4096&d_ff=11008&n_blocks=32&n_heads=32&context_length=4096&wiring=pre-ln"
    "&norm=rms-norm&position=rotary&feed_forward=swiglu&biases=false"
)


@dataclass(frozen=True)
class Example:
    """A setting worth a look: a query of the page."""

    words: str
    query: str


@dataclass(frozen=True, eq=False)
class Lab:
    """One lab. `compute` takes the request's fields and gives what the API answers."""

    name: str
    title: str
    lead: str
    request: type[Request]
    compute: Callable[..., Any]
    moves: tuple[Move, ...]
    examples: tuple[Example, ...]
    sections: tuple[Section, ...]


def _counted(*, tokens: int, **sizes: Any) -> dict[str, Any]:
    return {
        "counting": counting(configured(**sizes), tokens),
        "references": dict(references()),
    }


def _stacked(**given: Any) -> Any:
    return depth(given["depth"], given["scale"], given["seed"])


def _of_a_served_model(**_: Any) -> None:
    """Nothing: which models are served is known to a request, and no text prints its numbers."""


LABS = (
    Lab(
        "positions",
        "Positions as clock hands",
        "Unmasked attention sees a set of tokens, not an order. Sinusoidal positions write the "
        "order into each token’s vector as pairs of sine and cosine: hands that turn at different "
        "speeds.",
        schemas.PositionsRequest,
        positions,
        (
            Move("position", "first position", least=1),
            Move("shift", "gap", "from the first position to the second", least=1),
            Move("d_model", "width d", "features of a vector; an even number", start=64),
            Move("n_positions", "positions in the table"),
        ),
        (
            Example("3 and 40", ""),
            Example("103 and 140", "position=103"),
            Example("neighbours", "position=3&shift=1"),
            Example("width 512, as in the paper", "d_model=512"),
        ),
        (sections.POSITIONS, sections.SHIFT),
    ),
    Lab(
        "layernorm",
        "LayerNorm, step by step",
        "The vector of one token on its way through LayerNorm: centred, divided by its standard "
        "deviation, then scaled by γ and shifted by β. Each bar is one feature.",
        schemas.LayerNormRequest,
        layernorm,
        (
            Move("x", "features", "the vector of one token", start=EIGHT, least=0.1),
            Move("scale", "scale", "what the whole vector is multiplied by", least=1e-6),
            Move("shift", "shift", "what is then added to every feature", least=0.1),
            Move("gamma", "γ", "one number for all features here; learned one each", least=0.1,
                 single=True),
            Move("beta", "β", "the same", least=0.1, single=True),
            Move("epsilon", "ε", "keeps the divisor from 0", least=1e-12),
        ),
        (
            Example("eight features", ""),
            Example("[2, 4, 6, 8]", "x=2&x=4&x=6&x=8"),
            Example("the same, γ = 2 and β = 1", "x=2&x=4&x=6&x=8&gamma=2&beta=1"),
            Example("[1, 1, 1, 5]", "x=1&x=1&x=1&x=5"),
            Example("so small that ε shows", "scale=0.001"),
        ),
        (
            sections.LAYER_NORM, sections.NORMALIZATION, sections.GAMMA_AND_BETA,
            sections.RMS_NORM_TOO, sections.RMS_NORM,
        ),
    ),
    Lab(
        "masking",
        "Mask first, then softmax",
        "One query’s scores against every position. It may use those up to its own; the later ones "
        "must count for nothing. That holds only if they are masked before the softmax.",
        schemas.MaskingRequest,
        masking,
        (
            Move("scores", "scores", "one for each position", start=FOUR, least=0.1),
            Move("position", "the query’s position", "the last that it may see", start=2,
                 below="scores"),
            Move("change", "the later scores grow by", "to see what leaks", least=0.1),
        ),
        (
            Example("four scores", ""),
            Example("1 and 2, the third hidden", "scores=1&scores=2&scores=3&position=1"),
            Example("a later score takes everything", "scores=1&scores=2&scores=500&position=1"),
            Example("nothing is hidden", "scores=1&scores=2&position=1"),
        ),
        (sections.CAUSAL_MASKING, sections.MASK_FIRST),
    ),
    Lab(
        "activations",
        "Activations and their slopes",
        "The feed-forward network bends each hidden number by one of these curves. Forward, the "
        "curve counts; backward, its slope: where it is 0, no gradient comes through.",
        schemas.ActivationsRequest,
        activations,
        (
            Move("at", "x", "where the curves are read", step=0.1),
            Move("low", "from", "where the picture begins", step=0.5, below="high"),
            Move("high", "to", "where it ends", step=0.5, above="low"),
        ),
        (
            Example("x = 1", ""),
            Example("x = −1", "at=-1"),
            Example("the dip of GELU", "at=-0.75&low=-3&high=1"),
            Example("far out", "at=8&low=-10&high=10"),
        ),
        (sections.FEED_FORWARD, sections.GELU, sections.SWIGLU),
    ),
    Lab(
        "counting",
        "Counting parameters and work",
        "Where the parameters of a transformer are, for any sizes: by a formula for each part, and "
        "again from the shapes of the tensors themselves. The two must agree to the last one.",
        CountingRequest,
        _counted,
        (
            Move("d_model", "width d", multiple_of="n_heads", octaves=True),
            Move("d_ff", "feed-forward width h", octaves=True),
            Move("n_blocks", "blocks n", "the course calls their number L", octaves=True),
            Move("n_heads", "heads", "the width is a multiple of it", octaves=True),
            Move("vocab_size", "vocabulary V", least=1),
            Move("context_length", "context T", "positions that are read at once", octaves=True),
            Move("tokens", "tokens D", "that it is trained on", least=1),
            Move("architecture", "architecture"),
            Move("wiring", "wiring"),
            Move("norm", "norm"),
            Move("position", "position vectors"),
            Move("feed_forward", "feed-forward network"),
            Move("tied_head", "the head is the embedding (tied)"),
            Move("biases", "biases"),
        ),
        (
            Example("this model", ""),
            Example("lesson 56", "d_model=64&vocab_size=1000&context_length=128&wiring=pre-ln"
                    "&tied_head=true"),
            Example("GPT-2 small", "d_model=768&d_ff=3072&n_blocks=12&n_heads=12&vocab_size=50257"
                    "&context_length=1024&wiring=pre-ln&feed_forward=gelu-tanh&tied_head=true"),
            Example("GPT-2 Medium", "d_model=1024&d_ff=4096&n_blocks=24&n_heads=16"
                    "&vocab_size=50257&context_length=1024&wiring=pre-ln&feed_forward=gelu-tanh"
                    "&tied_head=true"),
            Example("GPT-2 XL", GPT_2_XL),
            Example("Llama 2 7B", f"{LLAMA_2}&vocab_size=32000&tokens=2000000000000"),
            Example("the same with 256,000 entries, as Gemma has", f"{LLAMA_2}&vocab_size=256000"),
            Example("and tied, as in Gemma", f"{LLAMA_2}&vocab_size=256000&tied_head=true"),
            Example("long texts, narrow model", "context_length=1048576"),
            Example("SwiGLU at h = 4d", "feed_forward=swiglu"),
        ),
        (
            sections.COUNTING, sections.COUNTED_BY_HAND, sections.COST,
            sections.CHECK_FOR_UNDERSTANDING,
        ),
    ),
    Lab(
        "residuals",
        "The gradient’s way down",
        "A gradient enters at the top of a stack and passes every layer on its way down. What "
        "arrives at the bottom, where each layer has the slope f, and where it has 1 + f because "
        "its input is added back?",
        schemas.ResidualsRequest,
        residuals,
        (
            Move("depth", "layers", start=6),
            Move("factor", "slope f of a layer", step=0.05),
            Move("seed", "seed of the measured stack", "other random layers", least=1),
        ),
        (
            Example("six layers of 0.5", ""),
            Example("twelve layers of 0.5", "depth=12"),
            Example("48 layers of 0.1", "depth=48&factor=0.1"),
            Example("layers that amplify", "depth=12&factor=1.5"),
            Example("layers that turn the sign", "depth=12&factor=-0.5"),
        ),
        (sections.RESIDUALS, sections.HIGHWAY, sections.TWELVE_LAYERS),
    ),
    Lab(
        "depth",
        "A fresh stack, block by block",
        "Before any training, its numbers drawn from a seed: how much does a block change what "
        "enters it, what would attention do alone, and what do the norms hold?",
        DepthRequest,
        _stacked,
        (
            Move("depth", "blocks"),
            Move("scale", "size of what enters", "root mean square of the stream", least=0.01),
            Move("seed", "seed", "other fresh models", least=1),
        ),
        (
            Example("twelve blocks", ""),
            Example("24 blocks", "depth=24"),
            Example("a large stream", "scale=10"),
            Example("another seed", "seed=1"),
        ),
        (sections.LAYER_NORM, sections.FEED_FORWARD, sections.FFN, sections.SAME_SHAPES),
    ),
    Lab(
        "gradient-check",
        "Is the gradient right?",
        "Move one weight a little up and a little down: the difference of the two losses, over the "
        "distance, must be the gradient. How little is little enough?",
        GradientCheckRequest,
        _of_a_served_model,
        (
            Move("epsilon", "ε", "how far the weight is moved, up and down", least=1e-12),
            Move("text", "text", "at most 24 characters"),
            Move("weight", "weight", "by its name in the checkpoint; all are listed below"),
            Move("index", "place in it", "row and column from 0, as 3,5; a bias has one number"),
            Move("model", "model", "as the README names it; empty is the default one"),
        ),
        (
            Example("this weight", ""),
            Example("ε too small", "epsilon=1e-10"),
            Example("ε too large", "epsilon=1"),
            Example("a table tied to the head", "model=shakespeare-preln"),
        ),
        (sections.GRADIENT_CHECK,),
    ),
    Lab(
        "experiment",
        "Measured, with its spread",
        "Two questions that formulas do not settle, answered by training small models side by "
        "side. A single run gives one number; how far can it be trusted?",
        ExperimentRequest,
        experiment,
        (
            Move("seeds", "seeds counted", "the first so many; the others are left out", start=1),
        ),
        (
            Example("one seed, as in the text", ""),
            Example("three", "seeds=3"),
            Example("all five", "seeds=5"),
        ),
        (sections.WHICH_ENCODING, sections.NORM_PLACEMENT, sections.POST_AGAINST_PRE),
    ),
)  # fmt: skip
"""In the order of the course."""

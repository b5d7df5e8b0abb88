"""The places in the course texts that teach what this project shows.

Titles are the texts' own headings. Module 7 names sections of other modules, and lesson 56 other
lessons, without their titles: those are called by what is said to be in them. Addresses are only
those the texts give.
"""

from collections.abc import Iterable
from dataclasses import dataclass

COURSE = "transformers-and-math"
LESSON = "lesson-56"
CHAPTER = "the-transformer-block-in-numpy"

MODULE_7 = "https://transformers-and-math.drmhse.com/modules/07-the-block-and-the-full-model"


@dataclass(frozen=True)
class Section:
    """One place in a course: `url` is None where the texts give no address, `figure` the name of
    the interactive figure that stands there, if one does."""

    course: str
    number: str
    title: str
    url: str | None = None
    figure: str | None = None

    @property
    def label(self) -> str:
        """How a reader knows the place: §7.3 of the course, lesson 56, or the NumPy chapter."""
        place = {COURSE: f"§{self.number}", LESSON: f"Lesson {self.number}:", CHAPTER: "Chapter:"}
        return f"{place[self.course]} {self.title}"

    @property
    def figure_url(self) -> str | None:
        """The address of the figure."""
        return None if self.figure is None else f"{self.url}#figure-{self.figure}"


def _module_7(number: str, title: str, figure: str | None = None) -> Section:
    return Section(COURSE, number, title, MODULE_7, figure)


def _lesson(title: str) -> Section:
    return Section(LESSON, "56", title)


def _chapter(number: str, title: str) -> Section:
    return Section(CHAPTER, number, title)


EMBEDDING = Section(COURSE, "1.5", "Embedding lookup")
ATTENTION = Section(
    COURSE, "6", "Attention", "https://transformers-and-math.drmhse.com/md/06-attention.md"
)
POSITIONS = _module_7("7.1", "Positional Encodings")
SHIFT = _module_7("7.1", "The Linear Shift Property", "sinusoidal-positions")
WHICH_ENCODING = _module_7("7.1", "Which Encoding the Reference Implementation Uses")
RESIDUALS = _module_7("7.2", "Residual Connections and the Residual Stream")
LAYER_NORM = _module_7("7.3", "LayerNorm", "layernorm-demo")
FEED_FORWARD = _module_7("7.4", "The Feed-Forward Network")
OUTPUT_LAYER = _module_7("7.5", "The Output Layer")
TIED_OR_NOT = _module_7("7.5", "Tied vs. Untied Embeddings")
COMPLETE_MODEL = _module_7("7.6", "The Complete Model")
COUNTING = _module_7("7.6", "Counting the Parameters")
FOLLOW_ONE_INPUT = _module_7("7.6", "Follow One Input", "token-tracer-full")
NEXT_TOKEN_LOSS = Section(COURSE, "8.4", "Every position predicts its next token")
NORM_PLACEMENT = Section(COURSE, "8.5", "Post-LN compared with Pre-LN")
ROTARY = Section(COURSE, "15.1", "RoPE, rotary position embedding")

ATTENTION_BY_NUMBERS = Section(LESSON, "55", "Attention with numbers")
FFN = _lesson("The Feed-Forward Network")
GELU = _lesson("GELU Activation")
POSITION_WISE = _lesson("Position-Wise: A Common Mistake")
SKIPS = _lesson("Residual Connections")
HIGHWAY = _lesson("The Gradient Highway")
TWELVE_LAYERS = _lesson("Numbers: Twelve Layers")
SAME_SHAPES = _lesson("Shapes Must Match")
NORMALIZATION = _lesson("Layer Normalization")
GAMMA_AND_BETA = _lesson("Gamma and Beta")
RMS_NORM_TOO = _lesson("Mistakes and RMSNorm")
POST_LN = _lesson("Post-LN: The Original")
PRE_LN = _lesson("Pre-LN: The Modern Default")
POST_AGAINST_PRE = _lesson("Post-LN Versus Pre-LN")
FOLLOWING_SHAPES = _lesson("Following the Shapes")
COUNTED_BY_HAND = _lesson("Counting Parameters")
THREE_FAMILIES = _lesson("Same Block, Three Wirings")
ENCODER_ONLY = _lesson("Encoder-Only: BERT-Style")
CAUSAL_MASKING = _lesson("Causal Masking")
MASK_FIRST = _lesson("Mask Before Softmax")
"""That the mask lets all positions be trained in parallel is said here too."""
DECODER_ONLY = _lesson("Decoder-Only: GPT-Style")
ENCODER_DECODER = _lesson("Encoder-Decoder: T5-Style")
CROSS_ATTENTION = _lesson("Cross-Attention and Choosing")
MINI_GPT = _lesson("A Mini GPT Block in PyTorch")
TINY_PASS = _lesson("A Tiny Forward Pass")
SANITY_CHECKS = _lesson("Sanity Checks")
PRETRAINING = Section(LESSON, "57", "Pretraining and Fine-Tuning")

PRE_NORM_BLOCK = _chapter("block", "The pre-norm decoder block")
RMS_NORM = _chapter("rmsnorm-swiglu", "RMSNorm and SwiGLU: RMSNorm")
SWIGLU = _chapter("rmsnorm-swiglu", "RMSNorm and SwiGLU: SwiGLU")
STACKING = _chapter("stack", "Stacking, logits, and weight tying")
"""The tied head, and the two gradients that then meet in the embedding."""
COST = _chapter("cost", "Parameters and FLOPs")
CHECK_FOR_UNDERSTANDING = _chapter("teach", "Check for understanding")
RESIDUAL_VIEW = _chapter("exercises", "Residual-stream view")
RMS_NORM_BACKWARD = _chapter("exercises", "RMSNorm backward")
PARAMETER_COUNT = _chapter("exercises", "Parameter count")
GRADIENT_CHECK = _chapter("exercises", "Gradient-check a block")

EVERY = tuple(found for found in list(globals().values()) if isinstance(found, Section))
"""In the order in which they are to be read: the course, the lesson, the chapter."""


def in_order(found: Iterable[Section]) -> tuple[Section, ...]:
    """Each of them once, in reading order."""
    return tuple(sorted(set(found), key=EVERY.index))

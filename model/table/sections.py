"""The course sections that a stage can point to. Addresses are only those the texts give."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Section:
    """One place in a course: `url` is None where the texts give no address."""

    course: str
    number: str
    title: str
    url: str | None = None

    @property
    def label(self) -> str:
        """How a reader knows the place: §7.3 of the course, lesson 56, or the NumPy chapter."""
        place = {COURSE: f"§{self.number}", LESSON: f"Lesson {self.number}:", CHAPTER: "Chapter:"}
        return f"{place[self.course]} {self.title}"


COURSE = "transformers-and-math"
MODULE_7 = "https://transformers-and-math.drmhse.com/modules/07-the-block-and-the-full-model"

EMBEDDING = Section(COURSE, "1.5", "Embeddings")
ATTENTION = Section(
    COURSE, "6", "Attention", "https://transformers-and-math.drmhse.com/md/06-attention.md"
)
POSITIONS = Section(COURSE, "7.1", "Positional encodings", MODULE_7)
RESIDUALS = Section(COURSE, "7.2", "Residual connections and the residual stream", MODULE_7)
LAYER_NORM = Section(COURSE, "7.3", "LayerNorm", MODULE_7)
FEED_FORWARD = Section(COURSE, "7.4", "The feed-forward network", MODULE_7)
OUTPUT_LAYER = Section(COURSE, "7.5", "The output layer", MODULE_7)
COMPLETE_MODEL = Section(COURSE, "7.6", "The complete model", MODULE_7)
ROTARY = Section(COURSE, "15.1", "Rotary position embedding")
NEXT_TOKEN_LOSS = Section(COURSE, "8.4", "Every position predicts its next token")

LESSON = "lesson-56"
ASSEMBLY = Section(LESSON, "56", "Assembling the block: post-LN and pre-LN")
ENCODER_ONLY = Section(LESSON, "56", "Three architectures: encoder-only")
ENCODER_DECODER = Section(LESSON, "56", "Three architectures: encoder-decoder")
CROSS_ATTENTION = Section(LESSON, "56", "Three architectures: cross-attention")

CHAPTER = "the-transformer-block-in-numpy"
PRE_NORM_BLOCK = Section(CHAPTER, "block", "The pre-norm decoder block")
RMS_NORM_AND_SWIGLU = Section(CHAPTER, "rmsnorm-swiglu", "RMSNorm and SwiGLU")
TIED_HEAD = Section(CHAPTER, "stack", "Stacking, logits, and weight tying")

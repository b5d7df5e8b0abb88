"""What the pages say of each course text, and what each of its references is for.

Addresses are only those the texts give. The chapter gives its references by key alone.
"""

from dataclasses import dataclass

from model.table import sections
from model.table.sections import CHAPTER, COURSE, LESSON, MODULE_7, Section


@dataclass(frozen=True)
class Reference:
    """A work that a text names: `what` it is, the one sentence that says what it is `good_for`, and
    the sections that lean on it."""

    what: str
    good_for: str
    sections: tuple[Section, ...] = ()
    url: str | None = None


@dataclass(frozen=True)
class CourseText:
    """One text: the part of a course (`number`) that was read, the presets that are built as it
    teaches, the lesson to begin with, and what it names beyond itself."""

    name: str
    title: str
    lead: str
    course: str
    number: str | None
    presets: tuple[str, ...]
    lesson: str
    references: tuple[Reference, ...]
    listed: str
    url: str | None = None

    def has(self, section: Section) -> bool:
        """Whether a section is in this text; the others of its course it only points to."""
        at_home = self.number is None or section.number.split(".")[0] == self.number
        return section.course == self.course and at_home


TEXTS = (
    CourseText(
        "module-7",
        "Module 7: The Block and the Full Model",
        "Positions, residual connections, LayerNorm, the feed-forward network and the output layer "
        "of the post-LN model of 2017, then one input followed through all of it.",
        COURSE,
        "7",
        ("shakespeare", "shakespeare-2017"),
        "follow-one-input",
        (
            Reference(
                "Vaswani et al. (2017), Attention Is All You Need",
                "The model that §7.6 puts together: sinusoidal positions, attention in heads, "
                "add and normalize, ReLU, a tied head.",
                (sections.POSITIONS, sections.FEED_FORWARD, sections.COMPLETE_MODEL),
                "https://arxiv.org/abs/1706.03762",
            ),
            Reference(
                "He et al. (2016), Deep Residual Learning for Image Recognition",
                "Where the residual connection comes from: a layer learns what to add to its "
                "input.",
                (sections.RESIDUALS,),
            ),
            Reference(
                "Ba, Kiros & Hinton (2016), Layer Normalization",
                "The norm over the features of one token, with its scale γ and shift β.",
                (sections.LAYER_NORM,),
                "https://arxiv.org/abs/1607.06450",
            ),
            Reference(
                "Hendrycks & Gimpel (2016), Gaussian Error Linear Units (GELUs)",
                "The smooth activation that most models here bend their hidden numbers with.",
                (sections.FEED_FORWARD,),
                "https://arxiv.org/abs/1606.08415",
            ),
            Reference(
                "Radford et al. (2019), Language Models are Unsupervised Multitask Learners",
                "GPT-2: learned positions, GELU, a tied head, and the sizes that the parameters "
                "are counted for.",
                (sections.WHICH_ENCODING, sections.TIED_OR_NOT, sections.COUNTING),
            ),
        ),
        "It ends with five references.",
        MODULE_7,
    ),
    CourseText(
        "lesson-56",
        "Lesson 56: the transformer block",
        "The pre-LN block of a small GPT, piece by piece: its shapes, its parameters to the "
        "last one, the mask, and the three families of models.",
        LESSON,
        "56",
        ("shakespeare-preln", "shakespeare-encoder", "shakespeare-seq2seq"),
        "inside-a-block",
        (
            Reference(
                "Lesson 48",
                "Batch normalization, which averages over the examples of a batch where LayerNorm "
                "averages over the features of one token.",
                (sections.NORMALIZATION,),
            ),
            Reference(
                "Lesson 55",
                "Attention itself, worked out with numbers; lesson 56 takes it as given.",
                (sections.ATTENTION_BY_NUMBERS,),
            ),
            Reference(
                "Lesson 57",
                "How such models are pretrained and fine-tuned, which lesson 56 leaves out.",
                (sections.PRETRAINING,),
            ),
        ),
        "It lists no papers, but three other lessons of its series.",
    ),
    CourseText(
        "chapter",
        "The NumPy chapter: The Transformer Block",
        "The modern decoder block by hand: RMSNorm, SwiGLU, rotary positions and a tied head, "
        "with gradients and with what it all costs.",
        CHAPTER,
        None,
        ("shakespeare-modern",),
        "the-modern-block",
        (
            Reference(
                "Vaswani et al. (2017), Attention Is All You Need",
                "The architecture whose idea the pre-norm decoder block keeps.",
                (sections.PRE_NORM_BLOCK,),
            ),
            Reference(
                "Zhang & Sennrich (2019), Root Mean Square Layer Normalization",
                "RMSNorm: a norm that divides by the size and subtracts no mean.",
                (sections.RMS_NORM,),
            ),
            Reference(
                "Shazeer (2020), GLU Variants Improve Transformer",
                "SwiGLU: a feed-forward network in which one projection gates another.",
                (sections.SWIGLU,),
            ),
            Reference(
                "Press & Wolf (2016), Using the Output Embedding to Improve Language Models",
                "Weight tying: the head reads with the matrix that the embedding writes with.",
                (sections.STACKING,),
            ),
            Reference(
                "Xiong et al. (2020), On Layer Normalization in the Transformer Architecture",
                "Why the place of the norm decides how steadily a deep model trains.",
                (sections.PRE_NORM_BLOCK,),
            ),
            Reference(
                "Touvron et al. (2023), LLaMA",
                "A family of open models that has RMSNorm, SwiGLU and rotary positions together.",
                (sections.RMS_NORM, sections.SWIGLU),
            ),
            Reference(
                "Hoffmann et al. (2022), Training Compute-Optimal Large Language Models",
                "The rule of thumb C ≈ 6ND, for planning how much a training run computes.",
                (sections.COST,),
            ),
        ),
        "It ends with seven references.",
    ),
)

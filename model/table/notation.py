"""How the three course texts write what this project names: letters, words and indices differ.

Written by hand, since no table can know what another text calls a thing; tests hold the `here`
and `code` of each row against the stage table and the configuration.
"""

from dataclasses import dataclass
from enum import StrEnum

from model.table.symbols import without_block


class Text(StrEnum):
    """Where a notation is used; the value names the text to a reader."""

    HERE = "here"
    MODULE_7 = "module 7"
    LESSON_56 = "lesson 56"
    CHAPTER = "NumPy chapter"


@dataclass(frozen=True)
class Notation:
    """One thing: what it is, how code names it, and how each text writes it, in LaTeX. A text that
    does not speak of it, or gives it no letter, has no entry; several ways to write it are several
    formulas."""

    meaning: str
    code: tuple[str, ...] = ()
    here: tuple[str, ...] = ()
    module_7: tuple[str, ...] = ()
    lesson_56: tuple[str, ...] = ()
    chapter: tuple[str, ...] = ()

    @property
    def written(self) -> dict[Text, tuple[str, ...]]:
        """The formulas by text."""
        return {
            Text.HERE: self.here,
            Text.MODULE_7: self.module_7,
            Text.LESSON_56: self.lesson_56,
            Text.CHAPTER: self.chapter,
        }


SIZES = (
    Notation("characters of the text (tokens)", ("position", "source"), ("N",),
             ("N",), ("T",), ("T",)),
    Notation("characters of the target, and the line end that begins it", ("position", "source"),
             ("M",)),
    Notation("width of the residual stream", ("d_model",), ("d",),
             (r"d_{\text{model}}", "d"), (r"d_{\text{model}}", "d", "C"), ("d",)),
    Notation("heads of an attention", ("n_heads",), ("h",), ("h",)),
    Notation("width of a head", ("d_head",), (r"d_{\text{head}}",)),
    Notation("hidden width of the feed-forward network", ("d_ff",), (r"d_{\text{ff}}",),
             (r"d_{\text{ff}}", r"4d_{\text{model}}"), (r"d_{\text{ff}}", "4C"), ("4d", "h")),
    Notation("characters in the vocabulary", ("vocab_size",), ("V",), ("|V|",), (), ("V",)),
    Notation("longest text that the model can read", ("context_length",), ("L",),
             ("L",)),
    Notation("blocks in a stack", ("n_blocks",), (), ("L",), (), ("L",)),
    Notation("texts in a batch; a trace has one", (), (), (), ("B",)),
    Notation("parameters of the model", (), (), ("P",), (), ("P", "N")),
    Notation("tokens trained on", (), (), (), (), ("D",)),
    Notation("floating-point operations of a training", (), (), (), (), ("C",)),
)  # fmt: skip
"""Numbers that sizes and costs are made of."""

TENSORS = (
    Notation("token embeddings, the table", ("embedding.weight",), ("W_E",),
             ("W_E",), (), ("E",)),
    Notation("position vectors", ("positions",), ("P",),
             (r"\mathbf{p}_{\text{pos}}", r"\text{PE}")),
    Notation("residual stream after a number of blocks", ("input", "ffn_norm.output"),
             ("X_0", "X_1", "X_2"), (r"\mathbf{x}",), ("x",), (r"\mathbf{x}_\ell",)),
    Notation("residual stream after a pre-norm block's attention", ("attn_residual",),
             ("X_a^{(n)}",), (), (), (r"\mathbf{u}_\ell",)),
    Notation("projections of an attention", ("query", "key", "value", "output"),
             ("W_Q^{(n)}", "W_K^{(n)}", "W_V^{(n)}", "W_O^{(n)}"), ("W^Q", "W^K", "W^V", "W^O"), (),
             ("W_Q", "W_K", "W_V", "W_O")),
    Notation("values", ("v",), ("V^{(n)}",), (r"\mathbf{v}_j",)),
    Notation("attention weights", ("weights",), ("A^{(n)}",), ("A_{ij}",)),
    Notation("outputs of the heads", ("heads",), ("Y^{(n)}",), (r"\mathbf{y}_i",)),
    Notation("contributions of the heads", ("contributions",), ("C^{(n)}",)),
    Notation("positions that were hidden from an encoder", ("hidden",), ("h",)),
    Notation("mean of a position's features", ("mean",), (r"\mu_a^{(n)}",), (r"\mu",), (r"\mu",)),
    Notation("variance of a position's features", ("variance",), (r"{\sigma_a^{(n)}}^2",),
             (r"\sigma^2",), (r"\sigma^2",)),
    Notation("constant under the root of a norm", ("norm_epsilon",), (r"\epsilon",),
             (r"\epsilon",), (r"\epsilon",), (r"\epsilon",)),
    Notation("normalized features", ("normalized",), (r"\hat{X}_a^{(n)}",), (), (r"\hat{x}",)),
    Notation("scale and shift of a LayerNorm", ("weight", "bias"),
             (r"\gamma_a^{(n)}", r"\beta_a^{(n)}"),
             (r"\boldsymbol{\gamma}", r"\boldsymbol{\beta}"), (r"\gamma", r"\beta")),
    Notation("gain of an RMSNorm", ("weight",), ("g_a^{(n)}",), (), (), ("g",)),
    Notation("first layer of the feed-forward network", ("up",), ("W_1^{(n)}", "b_1^{(n)}"),
             ("W_1", r"\mathbf{b}_1"), ("W_1", "b_1")),
    Notation("second layer of the feed-forward network", ("down",), ("W_2^{(n)}", "b_2^{(n)}"),
             ("W_2", r"\mathbf{b}_2"), ("W_2", "b_2")),
    Notation("gate, up and down of a SwiGLU", ("gate", "up", "down"),
             ("W_g^{(n)}", "W_u^{(n)}", "W_d^{(n)}"),
             (), (), ("W_g", "W_u", "W_d")),
    Notation("what the output layer reads", ("ffn_norm.output", "final_norm.output"),
             ("X_2", "N_o"), (r"\mathbf{h}_{\text{final}}",), (), (r"\mathbf{h}_t",)),
    Notation("output layer, untied", ("head.weight",), ("W_U",), (r"W_{\text{unembed}}",)),
    Notation("output layer, tied", ("embedding.weight",), ("W_E",), (r"W_E^\top",), (),
             (r"E^\top",)),
    Notation("logits", ("logits",), ("Z",), (r"\mathbf{z}",), (), (r"\text{logits}_t",)),
)  # fmt: skip
"""Tensors and weights; `here` has the symbol of a decoder without an encoder, of its first norm
where there are several, `n` for the number of the block."""

NOTATION = (*SIZES, *TENSORS)


def letters() -> dict[str, tuple[tuple[Notation, tuple[Text, ...]], ...]]:
    """Each letter that means several things, in a block or not: the things, and where it means
    them."""
    found: dict[str, dict[Notation, list[Text]]] = {}
    for one in NOTATION:
        for text, formulas in one.written.items():
            for formula in formulas:
                texts = found.setdefault(without_block(formula), {}).setdefault(one, [])
                if text not in texts:
                    texts.append(text)
    return {
        letter: tuple((one, tuple(texts)) for one, texts in meanings.items())
        for letter, meanings in sorted(found.items())
        if len(letter) == 1 and len(meanings) > 1
    }

"""The whole model: from ids to the scores of every possible character, in three architectures.

`forward` gives the logits; `score` goes on to the loss, from the ids that a trace is given by the
key of their stage. Stages are tapped in the order of the stage table.

Axes: B batch, T position, S source, D d_model, V vocab, M hidden characters.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence

from torch import Tensor, nn

from model.network.attention import Mask, masking, unmasked
from model.network.embedding import Embedding
from model.network.tap import Tap, no_tap, prefixed

MaskOf = Callable[[int], Mask]
"""The mask of a text of that length."""


class Transformer(nn.Module):
    """What every architecture can do."""

    @abstractmethod
    def score(self, given: Mapping[str, Tensor], tap: Tap = no_tap) -> Tensor:
        """From the ids of each given stage (B, ·) to the loss (B, ·) in nats: −log of the
        probability of each character that was to be predicted, from the logits."""


class OneStack(Transformer):
    """Embeddings plus positions, a stack of blocks, and one score a vocabulary entry."""

    def __init__(
        self,
        *,
        embedding: Embedding,
        positions: nn.Module,
        blocks: Sequence[nn.Module],
        final_norm: nn.Module,
        head: nn.Module,
        mask: MaskOf,
    ) -> None:
        super().__init__()
        self.embedding = embedding
        self.positions = positions
        self.blocks = nn.ModuleList(blocks)
        self.final_norm = final_norm
        self.head = head
        self.mask = mask

    def forward(self, ids_BT: Tensor, tap: Tap = no_tap) -> Tensor:
        """Ids (B, T), with T from 1 to the context length, to logits (B, T, V)."""
        embedded_BTD = tap("embeddings", self.embedding(tap("ids", ids_BT)))
        x_BTD = self.positions(embedded_BTD, tap)
        x_BTD = _through(self.blocks, x_BTD, self.mask(ids_BT.shape[1]), tap=tap)
        x_BTD = self.final_norm(x_BTD, prefixed(tap, "final_norm"))
        return tap("logits", self.head(x_BTD))


class DecoderOnly(OneStack):
    """Causal: each position sees itself and what came before (module 7.6, GPT)."""

    def score(self, given: Mapping[str, Tensor], tap: Tap = no_tap) -> Tensor:
        ids_BT = given["ids"]
        return _next_token_loss(self(ids_BT, tap), ids_BT, tap)


class EncoderOnly(OneStack):
    """Bidirectional: every position sees every other, and hidden ones are guessed (lesson 56,
    BERT)."""

    def score(self, given: Mapping[str, Tensor], tap: Tap = no_tap) -> Tensor:
        logits_BTV = self(given["ids"], tap)
        tap("probabilities", logits_BTV.softmax(-1))
        hidden_BM = tap("hidden", given["hidden"])
        targets_BM = tap("targets", given["targets"])
        guessing_BMV = logits_BTV.take_along_dim(hidden_BM.unsqueeze(-1), 1)
        return tap("loss", _cross_entropy(guessing_BMV, targets_BM))


class BlockStack(nn.Module):
    """One of an encoder-decoder's two: positions, then blocks."""

    def __init__(self, *, positions: nn.Module, blocks: Sequence[nn.Module]) -> None:
        super().__init__()
        self.positions = positions
        self.blocks = nn.ModuleList(blocks)

    def forward(self, embedded_BTD: Tensor, *looked_at: Tensor | Mask, tap: Tap = no_tap) -> Tensor:
        """`looked_at`: the mask, and for a decoder the encoder's output and the mask over it."""
        return _through(self.blocks, self.positions(embedded_BTD, tap), *looked_at, tap=tap)


class EncoderDecoder(Transformer):
    """One stack reads the source, the other writes the target and looks at what the first has
    read (Vaswani et al. 2017; lesson 56, T5). Both and the head share one embedding."""

    def __init__(
        self,
        *,
        embedding: Embedding,
        encoder: BlockStack,
        decoder: BlockStack,
        head: nn.Module,
        mask: MaskOf,
        context_length: int,
    ) -> None:
        super().__init__()
        self.embedding = embedding
        self.encoder = encoder
        self.decoder = decoder
        self.head = head
        self.mask = mask
        self.context_length = context_length

    def forward(
        self,
        source_BS: Tensor,
        target_BT: Tensor,
        tap: Tap = no_tap,
        *,
        filled_B11S: Tensor | None = None,
    ) -> Tensor:
        """Ids (B, S) and (B, T) to logits (B, T, V). `filled_B11S` is true where a shorter
        source of a batch was filled up; none for sources of one length."""
        read_BSD, over = self.read(source_BS, tap, filled_B11S=filled_B11S)
        return self.write(target_BT, read_BSD, over, tap)

    def read(
        self, source_BS: Tensor, tap: Tap = no_tap, *, filled_B11S: Tensor | None = None
    ) -> tuple[Tensor, Mask]:
        """What the encoder makes of a source, (B, S, D), and the mask over it."""
        over = unmasked if filled_B11S is None else masking(filled_B11S)
        tap = prefixed(tap, "encoder")
        embedded_BSD = tap("embeddings", self.embedding(tap("ids", source_BS)))
        return self.encoder(embedded_BSD, over, tap=tap), over

    def write(self, target_BT: Tensor, read_BSD: Tensor, over: Mask, tap: Tap = no_tap) -> Tensor:
        """The logits (B, T, V) of what follows each position of the target so far."""
        inner = prefixed(tap, "decoder")
        embedded_BTD = inner("embeddings", self.embedding(inner("ids", target_BT)))
        mask = self.mask(target_BT.shape[1])
        x_BTD = self.decoder(embedded_BTD, mask, read_BSD, over, tap=inner)
        return tap("logits", self.head(x_BTD))

    def score(self, given: Mapping[str, Tensor], tap: Tap = no_tap) -> Tensor:
        target_BT = given["decoder.ids"]
        return _next_token_loss(self(given["encoder.ids"], target_BT, tap), target_BT, tap)


def _through(
    blocks: Iterable[nn.Module], x_BTD: Tensor, *looked_at: Tensor | Mask, tap: Tap
) -> Tensor:
    """One block after the other, each told the same of what it may look at."""
    for index, block in enumerate(blocks):
        x_BTD = block(x_BTD, *looked_at, tap=prefixed(tap, f"blocks.{index}"))
    return x_BTD


def _next_token_loss(logits_BTV: Tensor, ids_BT: Tensor, tap: Tap) -> Tensor:
    """What the character that follows each position costs: (B, T − 1). The probabilities are tapped
    on the way; the loss does not read them."""
    tap("probabilities", logits_BTV.softmax(-1))
    return tap("loss", _cross_entropy(logits_BTV[:, :-1], ids_BT[:, 1:]))


def _cross_entropy(logits_BTV: Tensor, targets_BT: Tensor) -> Tensor:
    """log Σ exp z − z of the target, in nats: (B, T).

    From the logits and not from the probabilities, which float32 rounds to 0 from about z − max =
    −104 on: the logarithm of that would be infinite."""
    log_probabilities_BTV = logits_BTV.log_softmax(-1)
    return -log_probabilities_BTV.gather(-1, targets_BT.unsqueeze(-1)).squeeze(-1)

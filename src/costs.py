"""What a configuration costs: memory and arithmetic as polynomials, so that each can be read, compared and evaluated.

A polynomial maps a product of symbols to its coefficient: ``{("B", "T", "V"): 4}`` is 4BTV. Symbols: V vocabulary,
T sequence length (= block size), L layers, H heads, C width, B sequences per batch. The parameter terms come from
``sizing.SHAPE_TABLE``; the rest says which tensors ``gpt.GPT`` makes, in float32. Integers only; imports no torch.
"""

from collections import Counter
from dataclasses import dataclass

from gpt_config import GPTConfig, require_positive_int
from sizing import SHAPE_TABLE, dimensions, polynomial

Polynomial = dict[tuple[str, ...], int]

FLOAT_BYTES = 4  # float32
ID_BYTES = 8  # int64


@dataclass(frozen=True)
class Moment:
    """A moment of a training step at which its memory can be largest.

    Attributes:
        name: completes the sentence "the peak comes when ...".
        activations: bytes of what the forward pass has left and the backward pass has not yet used.
        passing: bytes of the logits and of tensors that live for a moment: gradients on their way, working copies.
    """

    name: str
    activations: Polynomial
    passing: Polynomial

    @property
    def parts(self) -> dict[str, Polynomial]:
        """The two parts under the names that a reader sees."""
        return {"activations": self.activations, "logits and passing tensors": self.passing}

    @property
    def terms(self) -> Polynomial:
        """Both parts in one polynomial."""
        return _add(self.activations, self.passing)


@dataclass(frozen=True)
class Peak:
    """The largest memory of a training step: the moment's name, and the bytes of each part at that moment."""

    moment: str
    parts: dict[str, int]

    @property
    def total_bytes(self) -> int:
        """All parts together."""
        return sum(self.parts.values())


def evaluate(terms: Polynomial, config: GPTConfig, batch_size: int = 1) -> int:
    """The value of a polynomial for a configuration and a batch of ``batch_size`` sequences of full length.

    Raises:
        ValueError: batch_size is not an integer of at least 1.
    """
    require_positive_int("batch_size", batch_size)
    dims = dimensions(config) | {"H": config.n_head, "B": batch_size}
    total = 0
    for symbols, coefficient in terms.items():
        for symbol in symbols:
            coefficient *= dims[symbol]
        total += coefficient
    return total


def forward_flops() -> Polynomial:
    """Multiplications and additions of all matrix products of one forward pass with logits at every position.

    A product (n, k) @ (k, m) has 2nkm. Softmax, LayerNorm, GELU and the additions are not counted, and attention is
    counted without a saving for the causal mask.
    """
    matrices = _add(polynomial(bias=False, convention="block matrices"), {("V", "C"): 1})  # the head multiplies, too
    return _add(_times(matrices, 2, "B", "T"), {("L", "B", "T", "T", "C"): 4})  # q kᵀ and weights v: 2BT²C each


def training_flops(explicit_attention: bool = True) -> Polynomial:
    """Forward and backward: each product forward needs two products of the same size backward.

    Fused attention keeps no weights and computes q kᵀ again: one product more, 2BT²C per layer. Explicit, it is
    6N + 12LHdT for each token, with N = 12LC² + VC and Hd = C (Chowdhery et al. (2022), appendix B).
    """
    again = {} if explicit_attention else {("L", "B", "T", "T", "C"): 2}
    return _add(_times(forward_flops(), 3), again)


def activations(explicit_attention: bool) -> Polynomial:
    """Bytes that autograd keeps for the backward pass, without parameters, where dropout is 0.

    Args:
        explicit_attention: with the (T, T) matrices in memory, or fused.
    """
    final_norm = {
        ("B", "T", "C"): FLOAT_BYTES * 2,  # ln_f: input, output
        ("B", "T"): FLOAT_BYTES * 2,  # mean, 1/std
    }
    return _add(_blocks(explicit_attention), final_norm, _log_softmax())


def _blocks(explicit_attention: bool) -> Polynomial:
    """The activations of all blocks, with ids and positions."""
    per_layer = {
        # ln_1: input, output; q, k, v; heads merged; ln_2: input, output;
        # GELU: input 4, output 4.
        ("B", "T", "C"): FLOAT_BYTES * (2 + 3 + 1 + 2 + 8),
        ("B", "T"): FLOAT_BYTES * 4,  # mean and 1/std of two LayerNorms
    }
    if explicit_attention:
        per_layer[("B", "H", "T", "T")] = FLOAT_BYTES  # the softmax's output
        per_layer[("T", "T")] = 1  # the mask, one byte for a bool
    else:
        per_layer[("B", "H", "T")] = FLOAT_BYTES  # log of its denominator
    positions = {("T",): ID_BYTES}
    return _add(_times(per_layer, 1, "L"), _batch(), positions)


def _batch() -> Polynomial:
    """Inputs and targets."""
    return {("B", "T"): ID_BYTES * 2}


def _log_softmax() -> Polynomial:
    """The log-softmax of the logits, and the number of targets that count."""
    return {("B", "T", "V"): FLOAT_BYTES, (): FLOAT_BYTES}


def logits() -> Polynomial:
    """Bytes of the logits of a training batch."""
    return {("B", "T", "V"): FLOAT_BYTES}


def attention_matrices() -> Polynomial:
    """Bytes of the attention weights of all layers, where they are written to memory."""
    return {("L", "B", "H", "T", "T"): FLOAT_BYTES}


def kv_cache() -> Polynomial:
    """Bytes of the keys and values that generation keeps for T positions: two tensors (B, T, C) per layer."""
    return {("L", "B", "T", "C"): 2 * FLOAT_BYTES}


def weights(bias: bool) -> Polynomial:
    """Bytes of the parameters."""
    return _times(polynomial(bias), FLOAT_BYTES)


def adam_state(bias: bool) -> Polynomial:
    """Bytes that AdamW keeps: two moments per parameter, and a step counter per tensor."""
    tensors = Counter()
    for tensor in SHAPE_TABLE:
        if tensor.tied_to is None and (bias or not tensor.bias):
            tensors[("L",) * tensor.per_layer] += 1
    return _add(_times(polynomial(bias), 2 * FLOAT_BYTES), _times(tensors, FLOAT_BYTES))


def mask_buffers() -> Polynomial:
    """Bytes that a causal mask adds to a checkpoint if each layer stores it as a float32 buffer."""
    return {("L", "T", "T"): FLOAT_BYTES}


def held(bias: bool) -> dict[str, Polynomial]:
    """Bytes that are there during the whole step, by name. Gradients of an earlier batch are among them."""
    return {"weights": weights(bias), "gradients": weights(bias), "Adam state": adam_state(bias)}


def moments(bias: bool, explicit_attention: bool) -> tuple[Moment, ...]:
    """The moments of a step at which its memory can be largest.

    Each needs its tensors besides what is ``held``. The step is
    ``measurements.training_step``, without dropout: its logits and its
    loss have names, so they live until it ends. The token table is tied
    and gets two gradients, one as the head and one as the embedding; the
    first waits for the second. The last block is the one that counts, as
    all other blocks' activations are still kept.
    """
    table = {("V", "C"): FLOAT_BYTES}
    stream = {("B", "T", "C"): FLOAT_BYTES}
    # Logits; loss, its gradient, the number of targets that count.
    named = _add(logits(), {(): 3 * FLOAT_BYTES})
    kept = activations(explicit_attention)
    blocks = _blocks(explicit_attention)

    # Gradients of the log-softmax and of the logits.
    loss = Moment(
        "the backward pass begins",
        kept,
        _add(named, _times(logits(), 2)),
    )

    # The log-softmax is used up. Gradients of logits, table and stream.
    head = Moment(
        "the head gets its gradient",
        _subtract(kept, _log_softmax()),
        _add(named, logits(), table, stream),
    )

    # Gradients of the stream, of GELU's output, and of c_proj.
    c_proj = {("C", "C"): 4 * FLOAT_BYTES}
    if bias:
        c_proj[("C",)] = FLOAT_BYTES
    mlp = Moment(
        "the last block's MLP gets its gradients",
        blocks,
        _add(named, table, _times(stream, 1 + 4), c_proj),
    )

    # ln_2, GELU and the merged heads of this block are used up.
    # Gradients of the stream, of v, of the weights and of the scores.
    used = {
        ("B", "T", "C"): FLOAT_BYTES * (2 + 8 + 1),
        ("B", "T"): FLOAT_BYTES * 2,
    }
    matrices = {("B", "H", "T", "T"): 2 * FLOAT_BYTES}
    attention = Moment(
        "the last block's attention gets its gradients",
        _subtract(blocks, used),
        _add(named, table, _times(stream, 2), matrices),
    )

    # Both gradients of the table, and their sum.
    end = Moment(
        "the backward pass ends",
        _batch(),
        _add(named, _times(table, 3)),
    )

    # The square roots of all second moments.
    update = Moment(
        "the optimizer takes its step",
        _batch(),
        _add(named, weights(bias)),
    )

    if explicit_attention:
        return loss, head, mlp, attention, end, update
    # With fused attention the MLP always needs more.
    return loss, head, mlp, end, update


def peak(config: GPTConfig, batch_size: int = 1, explicit_attention: bool = True) -> Peak:
    """The largest memory of an AdamW step in float32 with ``batch_size`` sequences of full length.

    It is exact to a few activations of the stream if gradients are held, and an upper bound if they are cleared
    before. The update is PyTorch's default on a graphics card (``foreach=True``), which takes the square root of all
    second moments at once; other forms need less.

    Raises:
        ValueError: dropout is not 0, whose masks are not counted, or batch_size is not an integer of at least 1.
    """
    if config.dropout:
        raise ValueError(f"dropout={config.dropout!r} is not counted here; use 0.0")
    peaks = []
    for moment in moments(config.bias, explicit_attention):
        parts = held(config.bias) | moment.parts
        amounts = {name: evaluate(terms, config, batch_size) for name, terms in parts.items()}
        peaks.append(Peak(moment.name, amounts))
    return max(peaks, key=lambda peak: peak.total_bytes)


def formula(terms: Polynomial) -> str:
    """A polynomial as text, largest degree first: ``24·L·B·T·C² + 2·B·T·V·C``."""
    text = ""
    for symbols, coefficient in sorted(terms.items(), key=lambda item: -len(item[0])):
        powers = [symbol + str(n).translate(_SUPERSCRIPTS) * (n > 1) for symbol, n in Counter(symbols).items()]
        factors = powers if abs(coefficient) == 1 and powers else [str(abs(coefficient)), *powers]
        text += (" − " if coefficient < 0 else " + ") + "·".join(factors)
    return text.removeprefix(" + ")


_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def _add(*polynomials: Polynomial) -> Polynomial:
    total = Counter()
    for terms in polynomials:
        total.update(terms)
    return dict(total)


def _times(terms: Polynomial, factor: int, *symbols: str) -> Polynomial:
    return {symbols + own: factor * coefficient for own, coefficient in terms.items()}


def _subtract(terms: Polynomial, other: Polynomial) -> Polynomial:
    difference = _add(terms, _times(other, -1))
    return {symbols: coefficient for symbols, coefficient in difference.items() if coefficient}

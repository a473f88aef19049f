"""What a configuration costs: memory and arithmetic as polynomials, so that each can be read, compared and evaluated.

A polynomial maps a product of symbols to its coefficient: ``{("B", "T", "V"): 4}`` is 4BTV. Symbols: V vocabulary,
T sequence length (= block size), L layers, H heads, C width, B sequences per batch. The parameter terms come from
``sizing.SHAPE_TABLE``; the rest says which tensors ``gpt.GPT`` makes, in float32. Integers only; imports no torch.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from gpt_config import GPTConfig, require_positive_int
from sizing import SHAPE_TABLE, dimensions, polynomial

Polynomial = dict[tuple[str, ...], int]

FLOAT_BYTES = 4  # float32
ID_BYTES = 8  # int64


@dataclass(frozen=True)
class Cost:
    """One thing that a training step needs, as a polynomial, with its unit: ``"bytes"`` or ``"FLOPs"``."""

    unit: str
    terms: Polynomial

    def of(self, config: GPTConfig, batch_size: int = 1) -> int:
        """The cost of ``batch_size`` sequences of full length."""
        return evaluate(self.terms, config, batch_size)


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


def training_flops() -> Polynomial:
    """Forward and backward: each product forward needs two products of the same size backward."""
    return _times(forward_flops(), 3)


def flops_per_token() -> Polynomial:
    """Training FLOPs per token, 6N + 12LHdT with N = 12LC² + VC and Hd = C (Chowdhery et al. (2022), appendix B)."""
    return {_without(symbols, "B", "T"): coefficient for symbols, coefficient in training_flops().items()}


def activations(explicit_attention: bool) -> Polynomial:
    """Bytes that autograd keeps for the backward pass, besides the parameters.

    Args:
        explicit_attention: with the (T, T) matrices in memory, or in one fused call.
    """
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
        per_layer[("B", "H", "T")] = FLOAT_BYTES  # log of softmax's denominator
    ends = {
        ("B", "T", "C"): FLOAT_BYTES * 2,  # ln_f: input, output
        ("B", "T"): FLOAT_BYTES * 2 + ID_BYTES * 2,  # mean, 1/std; inputs, targets
        ("T",): ID_BYTES,  # the positions
        ("B", "T", "V"): FLOAT_BYTES,  # log-softmax of the logits
        (): FLOAT_BYTES,  # the number of targets that count
    }
    return _add(_times(per_layer, 1, "L"), ends)


def logits() -> Polynomial:
    """Bytes of the logits of a training batch."""
    return {("B", "T", "V"): FLOAT_BYTES}


def attention_matrices() -> Polynomial:
    """Bytes of the attention weights of all layers, where they are materialized."""
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


def training_step(bias: bool, explicit_attention: bool) -> dict[str, Cost]:
    """What one AdamW step in float32 needs, by name: five memories and its arithmetic.

    The memories are needed at the same moment, when the backward pass begins, if gradients of an earlier batch are
    held; a step that starts without gradients peaks lower.
    """
    return {
        "weights": Cost("bytes", weights(bias)),
        "gradients": Cost("bytes", weights(bias)),
        "Adam state": Cost("bytes", adam_state(bias)),
        "activations": Cost("bytes", activations(explicit_attention)),
        "logits and their gradient": Cost("bytes", _times(logits(), 2)),
        "training FLOPs": Cost("FLOPs", training_flops()),
    }


def formula(terms: Polynomial) -> str:
    """A polynomial as text, largest degree first: ``24·L·B·T·C² + 2·B·T·V·C``."""
    parts = []
    for symbols, coefficient in sorted(terms.items(), key=lambda item: -len(item[0])):
        powers = [symbol + _SUPERSCRIPTS[count] for symbol, count in Counter(symbols).items()]
        factors = powers if coefficient == 1 and powers else [str(coefficient), *powers]
        parts.append("·".join(factors))
    return " + ".join(parts)


_SUPERSCRIPTS = {1: "", 2: "²"}


def _add(*polynomials: Polynomial) -> Polynomial:
    total = Counter()
    for terms in polynomials:
        total.update(terms)
    return dict(total)


def _times(terms: Polynomial, factor: int, *symbols: str) -> Polynomial:
    return {symbols + own: factor * coefficient for own, coefficient in terms.items()}


def _without(symbols: Iterable[str], *removed: str) -> tuple[str, ...]:
    rest = list(symbols)
    for symbol in removed:
        rest.remove(symbol)
    return tuple(rest)

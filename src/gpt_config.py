"""The seven numbers that describe a GPT, checked once, where they are written down."""

import math
import sys
from dataclasses import dataclass

# Divisors are found in pairs k * (n / k) with k up to this bound, so that a bad value is refused at once, however
# large it is. Up to its square, no divisor is missed.
_LARGEST_DIVISOR_TRIED = 1 << 16


@dataclass(frozen=True)
class GPTConfig:
    """The structure of a GPT. Frozen: a changed structure is a new configuration (``dataclasses.replace``).

    Attributes:
        block_size: T, the number of rows of the position table and the longest sequence.
        vocab_size: V, the number of rows of the token table and of logits per position.
        n_layer: L, the number of blocks.
        n_head: H, the number of attention heads; divides ``n_embd``.
        n_embd: C, the width of the residual stream.
        dropout: the probability of zeroing an element in training, in [0, 1).
        bias: whether Linear layers (except the output head) and LayerNorms have a bias vector.

    Raises:
        ValueError: a field has a value that describes no model; the message names the field, the value
            and what would be valid.
    """

    block_size: int = 1024
    vocab_size: int = 50304
    n_layer: int = 12
    n_head: int = 12
    n_embd: int = 768
    dropout: float = 0.0
    bias: bool = True

    def __post_init__(self):
        for name in ("block_size", "vocab_size", "n_layer", "n_head", "n_embd"):
            require_positive_int(name, getattr(self, name))
        if self.n_embd % self.n_head:
            raise ValueError(
                f"n_head={self.n_head} does not divide n_embd={self.n_embd}; "
                f"nearest valid n_head: {_nearest_divisors(self.n_embd, self.n_head)}"
            )
        if not is_number(self.dropout) or not 0 <= self.dropout < 1:  # NaN fails the comparison, too
            raise ValueError(f"dropout={self.dropout!r} is not valid; use a number in [0, 1)")
        if not isinstance(self.bias, bool):
            raise ValueError(f"bias={self.bias!r} is not valid; use True or False")

    @property
    def head_width(self) -> int:
        """d = C / H, the number of columns of q, k and v that belong to one head."""
        return self.n_embd // self.n_head


def require_positive_int(name: str, value) -> None:
    """Refuse with a ValueError whatever is not an int of at least 1; bool is refused although it is an int."""
    if type(value) is not int or value < 1:
        raise ValueError(f"{name}={value!r} is not valid; use an integer of at least 1")


def require_scale(name: str, value) -> None:
    """Refuse with a ValueError whatever is not a number of at least 0, or too large for a float, as infinity is."""
    if not is_number(value) or not 0 <= value <= sys.float_info.max:
        raise ValueError(f"{name}={value!r} is not valid; use a finite number of at least 0")


def is_number(value) -> bool:
    """Whether it is an int or a float, NaN included; bool is none although it is an int."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def divisors(n: int) -> list[int]:
    """The divisors of n in order; above the bound squared (n > 2**32) those without a partner below it are missing."""
    small = [k for k in range(1, min(math.isqrt(n), _LARGEST_DIVISOR_TRIED) + 1) if n % k == 0]
    return sorted({*small, *(n // k for k in small)})


def _nearest_divisors(n: int, wanted: int) -> str:
    """The divisors of n just below and just above ``wanted``, as text."""
    below = [k for k in divisors(n) if k < wanted][-1:]
    above = [k for k in divisors(n) if k > wanted][:1]
    return " or ".join(str(k) for k in below + above)


def _gpt2(n_layer: int, n_head: int, n_embd: int) -> GPTConfig:
    return GPTConfig(vocab_size=50257, n_layer=n_layer, n_head=n_head, n_embd=n_embd)


# GPT-2: Radford et al. (2019), table 2, with the head counts of the released files.
# GPT-3: Brown et al. (2020), table 2.1.
PRESETS = {
    "small test": GPTConfig(block_size=6, vocab_size=7, n_layer=2, n_head=2, n_embd=8),
    "gpt2": _gpt2(12, 12, 768),
    "gpt2-medium": _gpt2(24, 16, 1024),
    "gpt2-large": _gpt2(36, 20, 1280),
    "gpt2-xl": _gpt2(48, 25, 1600),
    "default": GPTConfig(),
    "gpt3-175b": GPTConfig(block_size=2048, vocab_size=50257, n_layer=96, n_head=96, n_embd=12288),
}

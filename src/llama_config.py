"""The numbers that describe a LLaMA-style model, checked once, where they are written down."""

from dataclasses import dataclass

from gpt_config import require_positive_int


@dataclass(frozen=True)
class LlamaConfig:
    """The structure of a LLaMA: RMSNorm, a gated MLP, grouped key-value heads, an output head of its own, no biases.

    Attributes:
        block_size: T, the longest sequence it was trained on. Positions are rotations: no parameter depends on T.
        vocab_size: V, the number of rows of the token table and of the output head.
        n_layer: L, the number of blocks.
        n_head: H, the number of query heads; divides ``n_embd``.
        n_kv_head: the number of key and value heads; divides ``n_head``.
        n_embd: C, the width of the residual stream.
        n_inner: F, the inner width of the MLP.

    Raises:
        ValueError: a field has a value that describes no model; the message names the field, the value
            and what would be valid.
    """

    block_size: int
    vocab_size: int
    n_layer: int
    n_head: int
    n_kv_head: int
    n_embd: int
    n_inner: int

    def __post_init__(self):
        for name in ("block_size", "vocab_size", "n_layer", "n_head", "n_kv_head", "n_embd", "n_inner"):
            require_positive_int(name, getattr(self, name))
        if self.n_embd % self.n_head:
            raise ValueError(f"n_head={self.n_head} does not divide n_embd={self.n_embd}; use a divisor of n_embd")
        if self.n_head % self.n_kv_head:
            raise ValueError(
                f"n_kv_head={self.n_kv_head} does not divide n_head={self.n_head}; "
                "each key-value head serves the same number of query heads"
            )

    @property
    def head_width(self) -> int:
        """d = C / H, the number of columns of q, k and v that belong to one head."""
        return self.n_embd // self.n_head

    @property
    def kv_width(self) -> int:
        """K, the number of columns of all key heads together (the value heads have as many)."""
        return self.n_kv_head * self.head_width


# LLaMA-2: Touvron et al. (2023), table 1 and the released params.json files.
# LLaMA-3: Llama team (2024), table 3 and the released params.json file.
LLAMA_PRESETS = {
    "llama-2-7b": LlamaConfig(4096, 32000, n_layer=32, n_head=32, n_kv_head=32, n_embd=4096, n_inner=11008),
    "llama-2-13b": LlamaConfig(4096, 32000, n_layer=40, n_head=40, n_kv_head=40, n_embd=5120, n_inner=13824),
    "llama-2-70b": LlamaConfig(4096, 32000, n_layer=80, n_head=64, n_kv_head=8, n_embd=8192, n_inner=28672),
    "llama-3-8b": LlamaConfig(8192, 128256, n_layer=32, n_head=32, n_kv_head=8, n_embd=4096, n_inner=14336),
}

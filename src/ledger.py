"""The size ledger: known models by name, and which vocabulary explains a printed size."""

from dataclasses import replace

from costs import FLOAT_BYTES, evaluate, kv_cache
from gpt_config import PRESETS, GPTConfig, require_positive_int
from llama_config import LLAMA_PRESETS, LlamaConfig
from sizing import count_parameters

MODELS = {name: config for name, config in PRESETS.items() if name.startswith("gpt")} | LLAMA_PRESETS


def find_model(name: str) -> GPTConfig | LlamaConfig:
    """The configuration of a published model.

    Raises:
        ValueError: no model of the ledger has this name; the message lists those that have one.
    """
    if name not in MODELS:
        raise ValueError(f"model={name!r} is not in the ledger; it has {', '.join(MODELS)}")
    return MODELS[name]


def vocabularies_printing(config: GPTConfig | LlamaConfig, millions: int) -> range:
    """Every V for which the unique count of ``config``, rounded to millions, is the printed number.

    The count is linear in V: without tokens it is ``rest``, and each token adds C, or 2C with a head of its own.

    Raises:
        ValueError: no V does, or millions is not an integer of at least 1.
    """
    require_positive_int("millions", millions)
    count = count_parameters(config)
    per_token = count_parameters(replace(config, vocab_size=config.vocab_size + 1)) - count
    rest = count - config.vocab_size * per_token
    half_a_million = 500_000
    low, high = (
        -((rest - millions * 10**6 - offset) // per_token)  # the least V whose count is at or above the bound
        for offset in (-half_a_million, half_a_million)
    )
    if high <= max(low, 1):
        raise ValueError(f"millions={millions!r} is not the size of this structure with any vocabulary")
    return range(max(low, 1), high)


def kv_cache_bytes(config: GPTConfig | LlamaConfig, bytes_per_number: int = 2) -> int:
    """Keys and values of one sequence of T tokens; with grouped heads only n_kv_head of the n_head heads have them.

    Ainslie et al. (2023), section 2.2.

    Raises:
        ValueError: bytes_per_number is not an integer of at least 1.
    """
    require_positive_int("bytes_per_number", bytes_per_number)
    numbers = evaluate(kv_cache(), config) // FLOAT_BYTES
    if isinstance(config, LlamaConfig):
        numbers = numbers * config.n_kv_head // config.n_head
    return numbers * bytes_per_number

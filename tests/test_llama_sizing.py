"""LLaMA's symbolic table against the classes of ``transformers``, built on the meta device: shapes, no memory."""

from dataclasses import replace

import pytest
import torch
import transformers
from hypothesis import given, settings
from hypothesis import strategies as st

from costs import evaluate
from llama_config import LLAMA_PRESETS, LlamaConfig
from sizing import (
    CONVENTIONS,
    LLAMA_PARTS,
    LLAMA_TABLE,
    DecaySplit,
    count_by_part,
    count_parameters,
    decay_split,
    parameter_table,
    polynomial,
)

# As published on the models' pages.
PUBLISHED = {
    "llama-2-7b": 6_738_415_616,
    "llama-2-13b": 13_015_864_320,
    "llama-2-70b": 68_976_648_192,
    "llama-3-8b": 8_030_261_248,
}


def real_model(config: LlamaConfig) -> torch.nn.Module:
    theirs = transformers.LlamaConfig(
        vocab_size=config.vocab_size,
        hidden_size=config.n_embd,
        intermediate_size=config.n_inner,
        num_hidden_layers=config.n_layer,
        num_attention_heads=config.n_head,
        num_key_value_heads=config.n_kv_head,
        max_position_embeddings=config.block_size,
        tie_word_embeddings=False,
    )
    with torch.device("meta"):
        return transformers.LlamaForCausalLM(theirs)


@st.composite
def configs(draw):
    n_kv_head = draw(st.integers(1, 3))
    n_head = n_kv_head * draw(st.integers(1, 3))
    return LlamaConfig(
        block_size=draw(st.integers(1, 9)),
        vocab_size=draw(st.integers(1, 40)),
        n_layer=draw(st.integers(1, 3)),
        n_head=n_head,
        n_kv_head=n_kv_head,
        n_embd=n_head * 2 * draw(st.integers(1, 4)),  # rotations act on pairs of columns
        n_inner=draw(st.integers(1, 50)),
    )


@pytest.mark.parametrize("name", LLAMA_PRESETS)
def test_every_published_model_has_the_tensors_of_the_real_class(name):
    """Keys, order and shapes of the state dict are those of LlamaForCausalLM, and the sum is the published number."""
    config = LLAMA_PRESETS[name]
    expected = {key: tuple(tensor.shape) for key, tensor in real_model(config).state_dict().items()}

    table = parameter_table(config)

    assert {row.name: row.shape for row in table} == expected
    assert [row.name for row in table] == list(expected)
    assert count_parameters(config) == PUBLISHED[name]


@settings(max_examples=25, deadline=None)
@given(configs())
def test_any_configuration_counts_like_the_real_class(config):
    """Grouped heads, any inner width and an untied head: the table still counts what the class allocates."""
    model = real_model(config)
    total = sum(parameter.numel() for parameter in model.parameters())

    assert count_parameters(config) == total
    assert count_parameters(config, "stored") == sum(t.numel() for t in model.state_dict().values())
    assert sum(count_by_part(config).values()) == total


@settings(max_examples=25, deadline=None)
@given(configs())
def test_the_closed_form_is_the_one_in_the_book(config):
    """2VC + L(2C² + 2KC + 3FC + 2C) + C, with K the width of all key heads."""
    V, L, C, F, K = config.vocab_size, config.n_layer, config.n_embd, config.n_inner, config.kv_width

    assert count_parameters(config) == 2 * V * C + L * (2 * C * C + 2 * K * C + 3 * F * C + 2 * C) + C


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_the_polynomial_of_the_table_gives_each_count(convention):
    """Coefficients and symbols, multiplied out, are the count under every convention."""
    config = LLAMA_PRESETS["llama-3-8b"]
    terms = polynomial(bias=False, convention=convention, table=LLAMA_TABLE)

    assert evaluate(terms, config) == count_parameters(config, convention)


def test_the_block_size_costs_no_parameter():
    """Rotary positions have no table: another T, the same count."""
    config = LLAMA_PRESETS["llama-2-7b"]

    assert count_parameters(replace(config, block_size=8)) == count_parameters(config)


def test_key_value_heads_are_the_only_heads_that_count():
    """Halving n_kv_head takes LC² / n_head · n_kv_head elements from keys and values; n_head itself is not counted."""
    config = LLAMA_PRESETS["llama-2-7b"]
    half = replace(config, n_kv_head=16)
    other_heads = replace(config, n_head=64, n_kv_head=64)

    assert count_parameters(config) - count_parameters(half) == config.n_layer * config.n_embd**2
    assert count_parameters(other_heads) == count_parameters(config)


def test_the_head_is_a_part_of_its_own():
    """Untied: the output head owns V·C parameters, and no convention counts it twice."""
    config = LLAMA_PRESETS["llama-2-7b"]
    parts = count_by_part(config)

    assert list(parts) == list(LLAMA_PARTS)
    assert parts["output head"] == parts["token embedding"] == config.vocab_size * config.n_embd
    assert count_parameters(config, "stored") == count_parameters(config, "unique")


@settings(max_examples=25, deadline=None)
@given(configs())
def test_the_optimizer_split_counts_the_tensors_of_two_dimensions(config):
    parameters = list(real_model(config).parameters())
    decayed = [p.numel() for p in parameters if p.dim() >= 2]
    others = [p.numel() for p in parameters if p.dim() < 2]

    assert decay_split(config) == DecaySplit(sum(decayed), len(decayed), sum(others), len(others))


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        (
            "n_kv_head",
            5,
            "n_kv_head=5 does not divide n_head=32; each key-value head serves the same number of query heads",
        ),
        ("n_head", 33, "n_head=33 does not divide n_embd=4096; use a divisor of n_embd"),
        ("n_inner", 0, "n_inner=0 is not valid; use an integer of at least 1"),
        ("n_inner", 11008.0, "n_inner=11008.0 is not valid; use an integer of at least 1"),
        ("n_layer", True, "n_layer=True is not valid; use an integer of at least 1"),
        ("block_size", -1, "block_size=-1 is not valid; use an integer of at least 1"),
        ("vocab_size", None, "vocab_size=None is not valid; use an integer of at least 1"),
        ("n_embd", "4096", "n_embd='4096' is not valid; use an integer of at least 1"),
    ],
)
def test_a_configuration_that_describes_no_model_is_refused(field, value, message):
    """The message names the field, its value and what would be valid."""
    with pytest.raises(ValueError) as error:
        replace(LLAMA_PRESETS["llama-2-7b"], **{field: value})

    assert str(error.value) == message

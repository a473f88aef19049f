"""The shape table against live modules: whatever is counted from it is what PyTorch has in memory."""

import subprocess
import sys
import time
from functools import partial

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from costs import evaluate
from gpt import GPT, Block
from gpt_config import PRESETS, GPTConfig
from sizing import (
    CONVENTIONS,
    PARTS,
    SHAPE_TABLE,
    count_by_part,
    count_parameters,
    decay_split,
    dimensions,
    padded_vocab_size,
    parameter_table,
    polynomial,
)


@st.composite
def configs(draw, largest=40):
    """Small configurations of every kind: odd widths, one head or many, with biases and without."""
    n_head, head_width = draw(st.integers(1, 5)), draw(st.integers(1, 8))
    return GPTConfig(
        block_size=draw(st.integers(1, largest)),
        vocab_size=draw(st.integers(1, largest)),
        n_layer=draw(st.integers(1, 4)),
        n_head=n_head,
        n_embd=n_head * head_width,
        bias=draw(st.booleans()),
    )


def on_meta(config: GPTConfig) -> GPT:
    with torch.device("meta"):
        return GPT(config)


def elements(tensors) -> int:
    return sum(tensor.numel() for tensor in tensors)


@settings(max_examples=60, deadline=None)
@given(configs())
def test_the_table_is_the_state_dict(config):
    """Names, order and shapes; the tied head stands in both."""
    table = [(row.name, row.shape) for row in parameter_table(config)]

    assert table == [(name, tuple(tensor.shape)) for name, tensor in GPT(config).state_dict().items()]


@settings(max_examples=60, deadline=None)
@given(configs())
def test_the_six_conventions_count_the_real_model(config):
    model = on_meta(config)
    blocks = list(model.transformer.h.parameters())
    measured = {
        "stored": elements(model.state_dict().values()),
        "unique": elements(model.parameters()),
        "without positions": model.get_num_params(),
        "without embeddings": elements(blocks) + elements(model.transformer.ln_f.parameters()),
        "blocks": elements(blocks),
        "block matrices": elements(p for p in blocks if p.dim() == 2),
    }

    assert {name: count_parameters(config, name) for name in CONVENTIONS} == measured


@settings(max_examples=60, deadline=None)
@given(configs())
def test_the_closed_forms_of_the_book_count_the_real_model(config):
    V, T, L, C = (dimensions(config)[symbol] for symbol in "VTLC")
    block, final = (12 * C * C + 13 * C, 2 * C) if config.bias else (12 * C * C + 2 * C, C)

    assert elements(Block(config).parameters()) == block
    assert elements(on_meta(config).parameters()) == V * C + T * C + L * block + final


@settings(max_examples=60, deadline=None)
@given(configs())
def test_the_parts_count_the_modules_and_sum_to_the_whole(config):
    model = on_meta(config)
    kinds = dict.fromkeys(PARTS, 0)
    for name, module in model.named_modules():
        owned = elements(module.parameters(recurse=False))
        if name.endswith("lm_head"):
            owned = 0  # its weight is the token table's
        for mark, part in (
            (".wte", "token embedding"),
            (".wpe", "position embedding"),
            (".attn", "attention"),
            (".mlp", "MLP"),
        ):
            if mark in name:
                kinds[part] += owned
        if isinstance(module, nn.LayerNorm):
            kinds["LayerNorm"] += owned

    assert count_by_part(config) == kinds
    assert sum(kinds.values()) == elements(model.parameters())


@settings(max_examples=60, deadline=None)
@given(configs())
def test_the_decay_split_counts_the_tensors_of_two_dimensions(config):
    parameters = list(on_meta(config).parameters())
    split = decay_split(config)

    assert split.decayed_params == elements(p for p in parameters if p.dim() >= 2)
    assert split.other_params == elements(p for p in parameters if p.dim() < 2)
    assert (split.decayed_tensors, split.other_tensors) == (
        sum(p.dim() >= 2 for p in parameters),
        sum(p.dim() < 2 for p in parameters),
    )


@given(configs(largest=10**6), st.sampled_from(sorted(CONVENTIONS)))
def test_the_polynomial_evaluates_to_the_count(config, convention):
    assert evaluate(polynomial(config.bias, convention), config) == count_parameters(config, convention)


def test_the_polynomial_has_the_coefficients_of_the_book():
    assert polynomial(True) == {("V", "C"): 1, ("T", "C"): 1, ("L", "C", "C"): 12, ("L", "C"): 13, ("C",): 2}
    assert polynomial(False) == {("V", "C"): 1, ("T", "C"): 1, ("L", "C", "C"): 12, ("L", "C"): 2, ("C",): 1}


@pytest.mark.parametrize(
    ("preset", "unique"),
    [
        ("small test", 1_864),
        ("gpt2", 124_439_808),
        ("gpt2-medium", 354_823_168),
        ("gpt2-large", 774_030_080),
        ("gpt2-xl", 1_557_611_200),
        ("default", 124_475_904),
        ("gpt3-175b", 174_604_259_328),
    ],
)
def test_the_presets_have_their_known_sizes(preset, unique):
    """GPT-3 cannot be built here; its blocks and tables are counted on ``meta``."""
    assert count_parameters(PRESETS[preset]) == unique
    assert elements(on_meta(PRESETS[preset]).parameters()) == unique


@pytest.mark.parametrize("count", [partial(count_parameters, GPTConfig()), partial(polynomial, True)])
def test_an_unknown_convention_is_refused_with_the_known_ones(count):
    with pytest.raises(ValueError) as refusal:
        count("non-embedding")

    known = "stored, unique, without positions, without embeddings, blocks, block matrices"
    assert str(refusal.value) == f"convention='non-embedding' is not known; use one of {known}"


@given(st.integers(1, 10**7), st.integers(1, 10**4))
def test_a_padded_vocabulary_is_the_smallest_multiple_that_is_large_enough(n, multiple):
    padded = padded_vocab_size(n, multiple)

    assert padded % multiple == 0
    assert padded - multiple < n <= padded


def test_the_padded_vocabulary_of_gpt2_is_not_the_nearest_multiple():
    """64 · 785 = 50240 is nearer to 50257, and too small."""
    assert padded_vocab_size(50257, 64) == 50304
    assert padded_vocab_size(50304, 64) == 50304


@pytest.mark.parametrize(
    ("n", "multiple", "field"), [(0, 64, "n=0"), (5, 0, "multiple=0"), (2.5, 64, "n=2.5"), (5, True, "multiple=True")]
)
def test_padding_refuses_what_is_no_positive_integer(n, multiple, field):
    with pytest.raises(ValueError) as refusal:
        padded_vocab_size(n, multiple)

    assert str(refusal.value) == f"{field} is not valid; use an integer of at least 1"


def test_every_line_of_the_table_belongs_to_a_part():
    assert {tensor.part for tensor in SHAPE_TABLE} == set(PARTS)


def test_counting_gpt3_takes_less_than_a_millisecond():
    config = PRESETS["gpt3-175b"]
    fastest = min(_seconds(lambda: count_parameters(config)) for _ in range(20))

    assert fastest < 1e-3


def test_counting_imports_nothing_heavy():
    program = "import sys; before = set(sys.modules); import sizing; print(*set(sys.modules) - before)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    third_party = {name.partition(".")[0] for name in run.stdout.split()} - sys.stdlib_module_names

    assert third_party == {"sizing", "gpt_config", "llama_config"}


def _seconds(action) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start

"""GPTConfig accepts what describes a model, and says of everything else what is wrong and what would do."""

import subprocess
import sys
from dataclasses import FrozenInstanceError, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpt_config import PRESETS, GPTConfig, divisors

INTEGER_FIELDS = ("block_size", "vocab_size", "n_layer", "n_head", "n_embd")


def test_the_defaults_are_those_of_nanogpt():
    assert GPTConfig() == GPTConfig(1024, 50304, 12, 12, 768, 0.0, True)
    assert PRESETS["default"] == GPTConfig()


def test_a_configuration_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        GPTConfig().n_head = 6


@pytest.mark.parametrize("field", INTEGER_FIELDS)
@pytest.mark.parametrize("value", [0, -1, True, False, 1.0, 2.5, "12", None, float("nan"), [12]])
def test_what_is_no_positive_integer_is_refused_by_name(field, value):
    """Floats with a whole value, and bools, are no integers either."""
    with pytest.raises(ValueError) as refusal:
        GPTConfig(**{field: value})

    assert str(refusal.value) == f"{field}={value!r} is not valid; use an integer of at least 1"


@pytest.mark.parametrize(
    ("n_head", "n_embd", "nearest"),
    [
        (5, 768, "4 or 6"),
        (7, 8, "4 or 8"),
        (9, 8, "8"),
        (2, 1, "1"),
        (7, 10**30, "5 or 8"),
        (10**30, 768, "768"),
        (99999, 200000, "50000 or 100000"),
        (131073, 393222, "65537 or 131074"),
    ],
)
def test_a_head_count_that_does_not_divide_the_width_is_answered_with_the_nearest_that_do(n_head, n_embd, nearest):
    with pytest.raises(ValueError) as refusal:
        GPTConfig(n_head=n_head, n_embd=n_embd)

    expected = f"n_head={n_head} does not divide n_embd={n_embd}; nearest valid n_head: {nearest}"
    assert str(refusal.value) == expected


@given(st.integers(1, 5000))
def test_the_divisors_are_complete_and_in_order(n):
    assert divisors(n) == [k for k in range(1, n + 1) if n % k == 0]


@given(st.integers(1, 400), st.integers(1, 400))
def test_a_head_count_is_accepted_exactly_if_it_divides_the_width(n_head, n_embd):
    try:
        config = GPTConfig(n_head=n_head, n_embd=n_embd)
    except ValueError:
        assert n_embd % n_head != 0
    else:
        assert config.head_width * n_head == n_embd


@pytest.mark.parametrize("value", [1, 1.0, -0.1, float("nan"), float("inf"), True, "0.1", None])
def test_a_dropout_outside_0_to_1_is_refused(value):
    with pytest.raises(ValueError) as refusal:
        GPTConfig(dropout=value)

    assert str(refusal.value) == f"dropout={value!r} is not valid; use a number in [0, 1)"


@pytest.mark.parametrize("value", [0, 1, None, "False"])
def test_a_bias_that_is_no_bool_is_refused(value):
    with pytest.raises(ValueError) as refusal:
        GPTConfig(bias=value)

    assert str(refusal.value) == f"bias={value!r} is not valid; use True or False"


def test_replace_checks_again():
    with pytest.raises(ValueError, match="n_head=5 does not divide"):
        replace(GPTConfig(), n_head=5)


def test_bad_values_are_refused_under_python_O():
    """Validation must not hang on ``assert``, which vanishes there."""
    program = "from gpt_config import GPTConfig\ntry: GPTConfig(n_layer=0)\nexcept ValueError as e: print(e)"
    run = subprocess.run([sys.executable, "-O", "-c", program], capture_output=True, text=True, check=True)

    assert run.stdout == "n_layer=0 is not valid; use an integer of at least 1\n"

"""The theory of the stream against models, and against what can be worked out by hand."""

import math
import re

import numpy as np
import pytest
import torch

import meanfield
from gpt import GPT, INIT_STD
from gpt_config import GPTConfig
from residuals import measure_stream, record_stream

CONFIG = GPTConfig(block_size=32, vocab_size=512, n_layer=4, n_head=4, n_embd=128)
PROJECTION_STD = INIT_STD / math.sqrt(2 * CONFIG.n_layer)


@pytest.fixture(scope="module")
def models():
    """Six draws and a batch of different tokens for each."""
    drawn = []
    for seed in range(6):
        torch.manual_seed(seed)
        idx = torch.stack([torch.randperm(CONFIG.vocab_size)[: CONFIG.block_size] for _ in range(4)])
        drawn.append((GPT(CONFIG).eval(), idx))
    return drawn


def test_the_variances_are_those_of_real_models(models):
    """All 1 + 2L places, within 3 % of the mean over six draws."""
    measured = np.mean([[point.variance for point in measure_stream(*drawn)] for drawn in models], axis=0)
    theory = meanfield.stream_variances(CONFIG, CONFIG.block_size, PROJECTION_STD)

    assert theory == pytest.approx(measured, rel=0.03)


def test_the_first_attention_increment_falls_like_one_over_t(models):
    places = meanfield.stream_covariances(CONFIG, CONFIG.block_size, PROJECTION_STD)
    before, after = next(places), next(places)
    increment = np.diag(after - before)

    assert increment[0] / increment == pytest.approx(np.arange(1, CONFIG.block_size + 1))


def test_covariances_between_positions_are_those_of_real_models(models):
    """The covariance of the first two positions at the end of the stream."""
    ends = [list(record_stream(*drawn).values())[-1] for drawn in models]
    measured = np.mean([(x[:, 0] * x[:, 1]).mean().item() for x in ends])
    *_, end = meanfield.stream_covariances(CONFIG, CONFIG.block_size, PROJECTION_STD)

    assert end[0, 1] == pytest.approx(measured, rel=0.15)


def test_gelu_of_small_inputs_is_half_of_them():
    assert meanfield.gelu_mean_square(1e-3) == pytest.approx((1e-3 / 2) ** 2, rel=1e-3)


def test_gelu_mean_square_is_that_of_random_numbers():
    torch.manual_seed(0)
    values = torch.nn.functional.gelu(0.55 * torch.randn(10**6), approximate="tanh")

    assert meanfield.gelu_mean_square(0.55) == pytest.approx(values.pow(2).mean().item(), rel=0.01)


def test_the_embeddings_start_with_two_draws():
    assert meanfield.stream_variances(CONFIG, 3, PROJECTION_STD)[0] == pytest.approx(2 * INIT_STD**2)


def test_without_branches_the_stream_stays_as_it_is():
    assert meanfield.stream_variances(CONFIG, 3, 0) == [2 * INIT_STD**2] * (1 + 2 * CONFIG.n_layer)


def test_a_length_that_is_none_is_refused():
    message = "length=0 is not valid; use an integer of at least 1"

    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        meanfield.stream_variances(CONFIG, 0, PROJECTION_STD)


@pytest.mark.parametrize("std", [math.nan, -1, math.inf, True, "0.02", None, 10**400])
def test_a_standard_deviation_that_is_none_is_refused(std):
    valid = "is not valid; use a finite number of at least 0"

    with pytest.raises(ValueError, match=f"^projection_std={std!r} {valid}$"):
        meanfield.stream_variances(CONFIG, 3, std)
    with pytest.raises(ValueError, match=f"^input_std={std!r} {valid}$"):
        meanfield.gelu_mean_square(std)

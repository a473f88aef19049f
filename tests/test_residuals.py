"""The residual stream is measured from outside, and what is measured is what the blocks compute."""

import math
from dataclasses import replace

import pytest
import torch

from gpt import GPT
from gpt_config import GPTConfig
from residuals import measure_stream, record_stream, rescale_projections

CONFIG = GPTConfig(block_size=9, vocab_size=11, n_layer=3, n_head=2, n_embd=10)


@pytest.fixture
def model() -> GPT:
    torch.manual_seed(1)
    return GPT(CONFIG).eval()


@pytest.fixture
def idx() -> torch.Tensor:
    return torch.randint(11, (2, 7), generator=torch.Generator().manual_seed(2))


def test_the_stream_is_the_running_sum_of_the_branches(model, idx):
    """Recomputed by hand, block by block; equal to the last bit."""
    stream = record_stream(model, idx)
    x = model.transformer.wte(idx) + model.transformer.wpe(torch.arange(7))
    expected = [x]
    for block in model.transformer.h:
        x = x + block.attn(block.ln_1(x))
        expected.append(x)
        x = x + block.mlp(block.ln_2(x))
        expected.append(x)

    places = [("embeddings", -1)] + [(place, layer) for layer in range(3) for place in ("attn", "mlp")]
    assert list(stream) == places
    assert all(torch.equal(a, b) for a, b in zip(stream.values(), expected, strict=True))


def test_variance_and_std_are_those_of_all_values(model, idx):
    for point, x in zip(measure_stream(model, idx), record_stream(model, idx).values(), strict=True):
        values = x.double().flatten()
        variance = ((values - values.mean()) ** 2).mean().item()

        assert point.variance == pytest.approx(variance, rel=1e-12)
        assert point.std == pytest.approx(variance**0.5, rel=1e-12)


def test_measuring_leaves_no_trace(model, idx):
    before = model(idx)[0]
    measure_stream(model, idx)

    assert torch.equal(model(idx)[0], before)
    assert all(not m._forward_hooks and not m._forward_pre_hooks for m in model.modules())


def test_the_hooks_are_removed_if_the_model_refuses_the_input(model):
    with pytest.raises(ValueError, match="block_size=9"):
        measure_stream(model, torch.zeros(1, 10, dtype=torch.int64))

    assert all(not m._forward_hooks and not m._forward_pre_hooks for m in model.modules())


def test_rescaling_changes_the_residual_projections_alone(model):
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    rescale_projections(model, 3)
    changed = {name for name, tensor in model.state_dict().items() if not torch.equal(tensor, before[name])}

    assert changed == {f"transformer.h.{i}.{branch}.c_proj.weight" for i in range(3) for branch in ("attn", "mlp")}
    assert torch.equal(model.transformer.h[0].mlp.c_proj.weight, 3 * before["transformer.h.0.mlp.c_proj.weight"])


@pytest.mark.parametrize("factor", [math.nan, math.inf, -1, True, "2"])
def test_a_factor_that_would_spoil_the_model_is_refused_and_changes_nothing(model, factor):
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    with pytest.raises(ValueError) as refusal:
        rescale_projections(model, factor)

    assert str(refusal.value) == f"factor={factor!r} is not valid; use a finite number of at least 0"
    assert all(torch.equal(tensor, before[name]) for name, tensor in model.state_dict().items())


def test_without_scaling_the_stream_grows_with_depth_and_with_it_it_does_not():
    """Four times as deep: near four times the variance without scaling, about the same with 1/sqrt(2L)."""
    last = {}
    for n_layer in (8, 32):
        torch.manual_seed(0)
        deep = GPT(replace(CONFIG, n_layer=n_layer, n_embd=64, block_size=32))
        idx = torch.randint(11, (4, 32))
        last["scaled", n_layer] = measure_stream(deep, idx)[-1].variance
        rescale_projections(deep, (2 * n_layer) ** 0.5)
        last["plain", n_layer] = measure_stream(deep, idx)[-1].variance

    assert last["scaled", 32] / last["scaled", 8] == pytest.approx(1, rel=0.2)
    assert last["plain", 32] / last["plain", 8] == pytest.approx(4, rel=0.4)

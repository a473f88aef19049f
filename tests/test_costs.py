"""Every formula of ``costs`` against what PyTorch measures on the real model."""

import re
import subprocess
import sys
from functools import partial

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import costs
import measurements
from gpt import GPT
from gpt_config import GPTConfig
from sizing import count_parameters

configs = st.builds(
    lambda V, T, L, H, d, bias: GPTConfig(T, V, L, H, H * d, bias=bias),
    V=st.integers(2, 40),
    T=st.integers(2, 24),
    L=st.integers(1, 3),
    H=st.integers(1, 4),
    d=st.integers(2, 6),
    bias=st.booleans(),
)
batch_sizes = st.integers(1, 3)
quick = settings(max_examples=20, deadline=None)


def forward_of(config, batch_size, explicit=True):
    """A model on the CPU and its forward pass with loss, for full-length sequences."""
    model = GPT(config, explicit_attention=explicit)
    idx, targets = (torch.randint(config.vocab_size, (batch_size, config.block_size)) for _ in range(2))
    return model, partial(model, idx, targets)


@quick
@given(configs, batch_sizes)
def test_forward_flops_are_those_of_the_counter(config, batch_size):
    _, forward = forward_of(config, batch_size)

    assert costs.evaluate(costs.forward_flops(), config, batch_size) == measurements.flops(forward)


@quick
@given(configs, batch_sizes)
def test_a_training_step_is_three_forward_passes(config, batch_size):
    _, forward = forward_of(config, batch_size)
    step = measurements.flops(lambda: forward()[1].backward())

    assert costs.evaluate(costs.training_flops(), config, batch_size) == step


@quick
@given(configs)
def test_flops_per_token_are_6n_and_12lhdt(config):
    N = count_parameters(config, "block matrices") + config.vocab_size * config.n_embd
    attention = 12 * config.n_layer * config.n_head * config.head_width * config.block_size

    assert costs.evaluate(costs.flops_per_token(), config) == 6 * N + attention


@quick
@given(configs, batch_sizes, st.booleans())
def test_activations_are_the_bytes_that_autograd_saves(config, batch_size, explicit):
    model, forward = forward_of(config, batch_size, explicit)
    expected = costs.evaluate(costs.activations(explicit_attention=explicit), config, batch_size)

    assert expected == measurements.saved_bytes(model, forward)


@quick
@given(configs, batch_sizes)
def test_attention_matrices_and_logits(config, batch_size):
    model, forward = forward_of(config, batch_size)
    shape = (batch_size * config.n_head, config.block_size, config.block_size)

    assert costs.evaluate(costs.logits(), config, batch_size) == forward()[0].nbytes
    if config.block_size % config.head_width:  # else another saved tensor may have the shape of the attention matrices
        saved = measurements.saved_bytes(model, forward, shape=shape)
        assert costs.evaluate(costs.attention_matrices(), config, batch_size) == saved


@quick
@given(configs)
def test_weights_gradients_and_adam_are_the_bytes_of_the_tensors(config):
    model, forward = forward_of(config, 1)
    optimizer = torch.optim.AdamW(model.parameters())
    forward()[1].backward()
    optimizer.step()

    assert costs.evaluate(costs.weights(config.bias), config) == sum(p.nbytes for p in model.parameters())
    assert costs.evaluate(costs.weights(config.bias), config) == sum(p.grad.nbytes for p in model.parameters())
    assert costs.evaluate(costs.adam_state(config.bias), config) == measurements.optimizer_bytes(optimizer)


@quick
@given(configs, batch_sizes)
def test_the_kv_cache_is_all_keys_and_values(config, batch_size):
    model, forward = forward_of(config, batch_size)
    caught = []
    for block in model.transformer.h:
        block.attn.c_attn.register_forward_hook(lambda _, __, qkv: caught.extend(qkv.split(config.n_embd, dim=2)[1:]))
    forward()

    assert costs.evaluate(costs.kv_cache(), config, batch_size) == sum(part.numel() * 4 for part in caught)


def test_checkpoints_are_what_a_written_file_measures(tmp_path):
    """The measured size of a file whose data is skipped is that of the file with its data."""
    config = GPTConfig(block_size=64, vocab_size=50, n_layer=2, n_head=2, n_embd=32)
    model, _ = forward_of(config, 1)
    path = tmp_path / "checkpoint.pt"
    torch.save(model.state_dict(), path)

    assert measurements.file_bytes(model.state_dict()) == path.stat().st_size
    assert 0 < path.stat().st_size - costs.evaluate(costs.weights(True), config) < 500 * len(model.state_dict())


def test_mask_buffers_make_a_file_larger_by_their_bytes(tmp_path):
    config = GPTConfig(block_size=256, vocab_size=50, n_layer=3, n_head=2, n_embd=16)
    state = dict(forward_of(config, 1)[0].state_dict())
    masks = {f"transformer.h.{i}.attn.bias": torch.ones(1, 1, 256, 256).tril() for i in range(3)}
    excess = []
    for name, content in {"plain": state, "masked": state | masks}.items():
        torch.save(content, tmp_path / f"{name}.pt")
        excess.append((tmp_path / f"{name}.pt").stat().st_size)

    assert 0 <= excess[1] - excess[0] - costs.evaluate(costs.mask_buffers(), config) < 2_000


@pytest.mark.parametrize("explicit", [True, False])
def test_meta_and_cpu_agree_where_the_same_operations_run(explicit):
    """On meta, fused attention is computed step by step, so only the explicit path is measured there."""
    config = GPTConfig(block_size=16, vocab_size=20, n_layer=2, n_head=2, n_embd=8)
    saved = {}
    for device in ("cpu", "meta"):
        with torch.device(device):
            model = GPT(config, explicit_attention=explicit)
            idx, targets = torch.zeros(2, 16, dtype=torch.int64), torch.zeros(2, 16, dtype=torch.int64)
        saved[device] = measurements.saved_bytes(model, partial(model, idx, targets))

    assert (saved["cpu"] == saved["meta"]) is explicit


def test_the_sum_of_a_step_is_its_measured_peak_when_gradients_are_held():
    config = GPTConfig(block_size=128, vocab_size=512, n_layer=2, n_head=4, n_embd=64)
    with torch.device("meta"):
        model = GPT(config, explicit_attention=True)
        optimizer = torch.optim.AdamW(model.parameters())
        idx, targets = (torch.zeros(4, 128, dtype=torch.int64) for _ in range(2))
        model(idx, targets)[1].backward()
        optimizer.step()
    peak = measurements.peak_bytes(model, optimizer, lambda: model(idx, targets)[1].backward())
    parts = costs.training_step(bias=True, explicit_attention=True)
    total = sum(cost.of(config, 4) for cost in parts.values() if cost.unit == "bytes")

    assert total == pytest.approx(peak, rel=1e-3)


def test_a_formula_reads_like_mathematics():
    assert costs.formula(costs.forward_flops()) == "24·B·T·L·C² + 4·L·B·T²·C + 2·B·T·V·C"


@pytest.mark.parametrize("batch_size", [0, -1, 1.5, True])
def test_a_batch_size_that_is_none_is_refused(batch_size):
    message = f"batch_size={batch_size!r} is not valid; use an integer of at least 1"

    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        costs.evaluate(costs.logits(), GPTConfig(), batch_size)


def test_it_imports_no_torch():
    program = "import sys, costs; print('torch' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert run.stdout == "False\n"

"""Every formula of ``costs`` against what PyTorch measures on the real model."""

import re
import subprocess
import sys
from dataclasses import replace
from functools import partial
from itertools import accumulate

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.profiler import ProfilerActivity, profile

import costs
import measurements
from gpt import GPT
from gpt_config import PRESETS, GPTConfig
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
@given(configs, batch_sizes, st.booleans())
def test_forward_flops_are_those_of_the_counter(config, batch_size, explicit):
    _, forward = forward_of(config, batch_size, explicit)

    assert costs.evaluate(costs.forward_flops(), config, batch_size) == measurements.flops(forward)


@quick
@given(configs, batch_sizes, st.booleans())
def test_training_flops_are_those_of_the_counter(config, batch_size, explicit):
    """Three forward passes with explicit attention; fused attention computes one product again."""
    _, forward = forward_of(config, batch_size, explicit)
    step = measurements.flops(lambda: forward()[1].backward())

    assert costs.evaluate(costs.training_flops(explicit), config, batch_size) == step
    if explicit:
        assert step == 3 * measurements.flops(forward)


@quick
@given(configs)
def test_flops_per_token_are_6n_and_12lhdt(config):
    N = count_parameters(config, "block matrices") + config.vocab_size * config.n_embd
    attention = 12 * config.n_layer * config.n_head * config.head_width * config.block_size

    assert costs.evaluate(costs.training_flops(), config, 3) == 3 * config.block_size * (6 * N + attention)


def test_dropout_is_not_counted_in_silence():
    with pytest.raises(ValueError, match=r"^dropout=0\.1 is not counted here; use 0\.0$"):
        costs.peak(replace(PRESETS["small test"], dropout=0.1))


def test_a_formula_may_have_any_power():
    assert costs.formula({("C",) * 3: 2, ("B",) * 12: 1}) == "B¹² + 2·C³"


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


@pytest.mark.parametrize("device", ["cpu", "meta"])
@pytest.mark.parametrize(
    "make",
    [
        lambda table: {"a view": table[:10]},
        lambda table: {"a view": table[:10], "the whole": table},
        lambda table: {"transposed": table.T, "spread": torch.ones((), device=table.device).expand(100, 1000)},
        lambda table: (table, [table[5:]]),
        lambda table: {"as bytes": table.view(torch.uint8)},
    ],
)
def test_a_file_holds_all_that_its_tensors_are_views_of(make, device, tmp_path):
    path = tmp_path / "checkpoint.pt"  # its name stands in the file
    torch.save(make(torch.zeros(1000, 64)), path)

    assert measurements.file_bytes(make(torch.zeros(1000, 64, device=device))) == path.stat().st_size


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


def step_of(config, batch_size, explicit, device="cpu", foreach=True):
    """A model after one step, so that gradients and Adam's moments are there, its optimizer and a batch."""
    with torch.device(device):
        model = GPT(config, explicit_attention=explicit)
        optimizer = torch.optim.AdamW(model.parameters(), foreach=foreach)
        batch = [torch.zeros((batch_size, config.block_size), dtype=torch.int64) for _ in range(2)]
    measurements.training_step(model, optimizer, *batch)
    return model, optimizer, batch


def measured_peak(model, optimizer, batch):
    step = partial(measurements.training_step, model, optimizer, *batch)
    return measurements.peak_bytes(step, model, optimizer, *batch)


# Wide enough that each of the moments wins somewhere, which the test below asks for.
shapes = st.builds(
    lambda V, T, L, H, d, bias: GPTConfig(T, V, L, H, H * d, bias=bias),
    V=st.sampled_from([1, 2, 7, 40, 300, 2000]),
    T=st.sampled_from([1, 2, 8, 24, 64]),
    L=st.integers(1, 3),
    H=st.integers(1, 4),
    d=st.sampled_from([1, 2, 8, 16]),
    bias=st.booleans(),
)


@settings(max_examples=40, deadline=None)
@given(shapes, st.sampled_from([1, 2, 3, 8]), st.booleans())
def test_the_peak_is_never_below_the_measured_one_and_hardly_above(config, batch_size, explicit):
    """The whole step with gradients held, on the CPU: at most one tensor (B, T, C) and 16 bytes too high."""
    peak = costs.peak(config, batch_size, explicit).total_bytes
    slack = peak - measured_peak(*step_of(config, batch_size, explicit))

    assert 0 <= slack <= 4 * batch_size * config.block_size * config.n_embd + 16


PEAKS = {
    "the backward pass begins": (GPTConfig(64, 300, 2, 2, 16), 2),
    "the head gets its gradient": (GPTConfig(24, 1000, 4, 26, 52), 1),
    "the last block's MLP gets its gradients": (GPTConfig(8, 7, 3, 4, 16), 3),
    "the last block's attention gets its gradients": (GPTConfig(64, 2, 3, 2, 8), 3),
    "the backward pass ends": (GPTConfig(8, 2000, 2, 4, 64), 1),
    "the optimizer takes its step": (GPTConfig(2, 40, 3, 2, 32), 1),
}


@pytest.mark.parametrize("moment", PEAKS)
def test_each_moment_is_the_peak_of_some_step(moment):
    config, batch_size = PEAKS[moment]
    peak = costs.peak(config, batch_size)

    assert list(PEAKS) == [moment.name for moment in costs.moments(True, True)]
    assert peak.moment == moment
    assert peak.total_bytes == pytest.approx(measured_peak(*step_of(config, batch_size, True)), rel=5e-3)


@quick
@given(shapes, batch_sizes, st.booleans())
def test_a_step_that_starts_without_gradients_needs_no_more(config, batch_size, foreach):
    model, optimizer, batch = step_of(config, batch_size, True, foreach=foreach)
    optimizer.zero_grad()

    assert measured_peak(model, optimizer, batch) <= costs.peak(config, batch_size).total_bytes


@pytest.mark.parametrize("explicit", [True, False])
def test_the_allocator_of_the_cpu_agrees(explicit):
    """What the allocator itself records, so also what kernels take and never return."""
    config = GPTConfig(64, 2000, 2, 4, 64)
    model, optimizer, batch = step_of(config, 1, explicit)
    present = sum(p.nbytes + p.grad.nbytes for p in model.parameters()) + sum(ids.nbytes for ids in batch)
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as record:
        measurements.training_step(model, optimizer, *batch)
    changes = [event.nbytes() for event in record.profiler.kineto_results.events() if event.name() == "[memory]"]
    peak = present + measurements.optimizer_bytes(optimizer) + max(accumulate(changes))

    assert costs.peak(config, 1, explicit).total_bytes == pytest.approx(peak, rel=1e-3)


def test_a_formula_reads_like_mathematics():
    assert costs.formula(costs.forward_flops()) == "24·B·T·L·C² + 4·L·B·T²·C + 2·B·T·V·C"
    assert costs.formula({("T", "C"): 1, ("B", "T"): -8, (): -1}) == "T·C − 8·B·T − 1"


@pytest.mark.parametrize("batch_size", [0, -1, 1.5, True])
def test_a_batch_size_that_is_none_is_refused(batch_size):
    message = f"batch_size={batch_size!r} is not valid; use an integer of at least 1"

    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        costs.evaluate(costs.logits(), GPTConfig(), batch_size)


def test_it_imports_no_torch():
    program = "import sys, costs; print('torch' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert run.stdout == "False\n"

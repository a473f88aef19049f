"""The model's contracts: weights, results, refusals, and surgery that loses nothing."""

import io
import math
import subprocess
import sys
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional as F
from transformers import GPT2Config, GPT2LMHeadModel

from gpt import GPT
from gpt_config import PRESETS, GPTConfig

TINY = PRESETS["small test"]
CONFIG = GPTConfig(block_size=9, vocab_size=11, n_layer=2, n_head=3, n_embd=12)


def seeded(config: GPTConfig = CONFIG, seed: int = 0, **options) -> GPT:
    torch.manual_seed(seed)
    return GPT(config, **options)


def lively(config: GPTConfig = CONFIG, **options) -> GPT:
    """A model whose matrices are large enough for every branch to matter in the logits."""
    model = seeded(config, **options)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    return model


def ids(*shape: int, high: int = 11) -> torch.Tensor:
    return torch.randint(high, shape, generator=torch.Generator().manual_seed(3))


# Structure and first values


def test_the_constructor_prints_nothing(capfd):
    GPT(CONFIG)

    assert capfd.readouterr() == ("", "")


def test_the_state_dict_has_no_buffers():
    assert list(seeded().buffers()) == []


@pytest.mark.parametrize("bias", [True, False])
def test_a_seed_gives_the_weights_of_the_documented_order(bias):
    """Plain modules, constructed and initialized in the order that the reference implementation has."""
    config = replace(CONFIG, bias=bias)
    C, V, T, L = config.n_embd, config.vocab_size, config.block_size, config.n_layer
    torch.manual_seed(5)
    modules = {"transformer.wte": nn.Embedding(V, C), "transformer.wpe": nn.Embedding(T, C)}
    for i in range(L):
        for name, out_width, in_width in (
            ("attn.c_attn", 3 * C, C),
            ("attn.c_proj", C, C),
            ("mlp.c_fc", 4 * C, C),
            ("mlp.c_proj", C, 4 * C),
        ):
            modules[f"transformer.h.{i}.{name}"] = nn.Linear(in_width, out_width, bias=bias)
    modules["lm_head"] = nn.Linear(C, V, bias=False)
    for module in modules.values():
        nn.init.normal_(module.weight, 0.0, 0.02)
    for name, module in modules.items():
        if name.endswith("c_proj"):
            nn.init.normal_(module.weight, 0.0, 0.02 / math.sqrt(2 * L))

    model = seeded(config, seed=5)
    expected = {name: module.weight for name, module in modules.items()}
    expected["transformer.wte"] = expected["lm_head"]  # drawn last, kept under both names
    measured = {name: dict(model.named_modules())[name].weight for name in modules}
    assert all(torch.equal(measured[name], weight) for name, weight in expected.items())


def test_a_seed_gives_the_weights_it_gave_before():
    """Values drawn once with the published reference implementation, seed 1337."""
    model = seeded(TINY, seed=1337)
    state = model.state_dict()
    sums = {name: tensor.double().sum().item() for name, tensor in state.items() if tensor.dim() == 2}

    assert sums == pytest.approx(REFERENCE_SUMS, rel=1e-5, abs=1e-7)


REFERENCE_SUMS = {
    "transformer.wte.weight": 0.16412371,
    "transformer.wpe.weight": 0.02124031,
    "transformer.h.0.attn.c_attn.weight": -0.66628190,
    "transformer.h.0.attn.c_proj.weight": -0.17124910,
    "transformer.h.0.mlp.c_fc.weight": -0.03429153,
    "transformer.h.0.mlp.c_proj.weight": 0.05869548,
    "transformer.h.1.attn.c_attn.weight": -0.21055678,
    "transformer.h.1.attn.c_proj.weight": 0.05098710,
    "transformer.h.1.mlp.c_fc.weight": -0.64814062,
    "transformer.h.1.mlp.c_proj.weight": -0.17765075,
    "lm_head.weight": 0.16412371,
}


def test_biases_start_at_zero_and_scales_at_one():
    for name, parameter in seeded().named_parameters():
        if parameter.dim() == 1:
            assert torch.equal(parameter, torch.full_like(parameter, float(name.endswith("weight"))))


def test_exactly_2L_matrices_are_drawn_with_the_smaller_std():
    model = seeded(GPTConfig(block_size=8, vocab_size=300, n_layer=3, n_head=2, n_embd=96))
    small = [name for name, p in model.named_parameters() if p.dim() == 2 and p.std() < 0.014]

    assert small == [f"transformer.h.{i}.{branch}.c_proj.weight" for i in range(3) for branch in ("attn", "mlp")]


def test_the_two_tables_are_one_parameter_with_one_gradient():
    """It is the sum of what reaches the table and what reaches the head in a twin that is not tied."""
    model, untied = lively(), lively()
    untied.lm_head.weight = nn.Parameter(untied.lm_head.weight.detach().clone())
    for one in (model, untied):
        one(ids(2, 5), ids(2, 5))[1].backward()
    parts = [untied.transformer.wte.weight.grad, untied.lm_head.weight.grad]

    assert model.lm_head.weight is model.transformer.wte.weight
    assert all(part.abs().max() > 1e-3 for part in parts)
    torch.testing.assert_close(model.transformer.wte.weight.grad, sum(parts))


def test_tying_survives_a_state_dict_that_is_assigned():
    model, other = seeded(), seeded(seed=1)
    model.load_state_dict(other.state_dict(), assign=True)

    assert model.lm_head.weight is model.transformer.wte.weight
    assert torch.equal(model(ids(1, 4))[0], other(ids(1, 4))[0])


def test_a_head_that_is_assigned_alone_becomes_the_table_too():
    model, head = seeded(), torch.ones(11, 12)
    model.load_state_dict({"lm_head.weight": head}, strict=False, assign=True)

    assert model.lm_head.weight is model.transformer.wte.weight
    assert torch.equal(model.transformer.wte.weight, head)


# The forward pass


@pytest.mark.parametrize("bias", [True, False])
def test_the_explicit_path_gives_equal_results_and_gradients(bias):
    fused, explicit = lively(replace(CONFIG, bias=bias)), GPT(replace(CONFIG, bias=bias), explicit_attention=True)
    explicit.load_state_dict(fused.state_dict())
    x, y = ids(3, 9), ids(3, 9).flip(0)
    (logits_f, loss_f), (logits_e, loss_e) = fused(x, y), explicit(x, y)
    loss_f.backward()
    loss_e.backward()

    torch.testing.assert_close(logits_e, logits_f, rtol=1e-4, atol=1e-5)
    for a, b in zip(explicit.parameters(), fused.parameters(), strict=True):
        torch.testing.assert_close(a.grad, b.grad, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("explicit", [True, False])
def test_no_position_sees_the_future(explicit):
    model, x = lively(explicit_attention=explicit), ids(1, 9)
    changed = x.clone()
    changed[0, 5:] = (changed[0, 5:] + 1) % 11
    before, after = model(x, x)[0], model(changed, x)[0]

    torch.testing.assert_close(after[:, :5], before[:, :5])
    assert not torch.allclose(after[:, 5:], before[:, 5:], atol=1e-3)


@settings(max_examples=20, deadline=None)
@given(B=st.integers(1, 3), T=st.integers(1, 9))
def test_logits_have_the_shapes_that_are_promised(B, T):
    model, x = seeded(), ids(B, T)

    assert model(x)[0].shape == (B, 1, 11)
    assert model(x)[1] is None
    assert model(x, x)[0].shape == (B, T, 11)
    assert model(x, x)[1].shape == ()


def test_without_targets_the_logits_are_those_of_the_last_position():
    model, x = lively(), ids(2, 7)

    torch.testing.assert_close(model(x)[0], model(x, x)[0][:, -1:])


def test_the_loss_is_the_mean_cross_entropy_where_a_target_stands():
    model, x, targets = lively(), ids(2, 6), ids(2, 6).flip(1)
    targets[0, 2:] = -1
    logits, loss = model(x, targets)
    log_p = F.log_softmax(logits, dim=-1)
    kept = [(b, t) for b in range(2) for t in range(6) if targets[b, t] != -1]

    expected = -sum(log_p[b, t, targets[b, t]] for b, t in kept) / len(kept)
    torch.testing.assert_close(loss, expected)


def test_targets_need_not_be_contiguous():
    model, x = lively(), ids(3, 6)
    transposed = ids(6, 3).T

    assert not transposed.is_contiguous()
    assert torch.equal(model(x, transposed)[1], model(x, transposed.contiguous())[1])


def test_dropout_acts_in_training_only():
    model, x = lively(replace(CONFIG, dropout=0.5)), ids(2, 6)

    assert not torch.equal(model(x)[0], model(x)[0])
    model.eval()
    assert torch.equal(model(x)[0], model(x)[0])


@pytest.mark.parametrize("n_head", [1, 3, 12])
def test_logits_equal_those_of_transformers_with_the_same_weights(n_head):
    """GPT-2 of the ``transformers`` package, random weights; four matrices per block are stored transposed there."""
    config = replace(CONFIG, n_head=n_head)
    model = lively(config).eval()
    theirs = GPT2LMHeadModel(GPT2Config(vocab_size=11, n_positions=9, n_embd=12, n_layer=2, n_head=n_head)).eval()
    state = {
        name: tensor.T if name.endswith(("c_attn.weight", "c_proj.weight", "c_fc.weight")) else tensor
        for name, tensor in model.state_dict().items()
    }
    report = theirs.load_state_dict(state, strict=False)
    x = ids(2, 9)

    assert report.unexpected_keys == []
    assert all(name.endswith(("attn.bias", "attn.masked_bias")) for name in report.missing_keys)
    torch.testing.assert_close(model(x, x)[0], theirs(x).logits, rtol=1e-4, atol=1e-5)


# What is refused


@pytest.mark.parametrize(
    ("idx", "message"),
    [
        (torch.zeros(1, 10, dtype=torch.int64), "idx has 10 positions; the model has block_size=9"),
        (torch.zeros(1, 0, dtype=torch.int64), "idx has shape (1, 0); use (B, T) with B and T at least 1"),
        (torch.zeros(0, 3, dtype=torch.int64), "idx has shape (0, 3); use (B, T) with B and T at least 1"),
        (torch.zeros(3, dtype=torch.int64), "idx has shape (3,); use (B, T) with B and T at least 1"),
        (torch.zeros(1, 3), "idx has dtype torch.float32; use torch.int64"),
        (torch.tensor([[0, 11]]), "idx contains the id 11; valid ids are 0 to 10 (vocab_size=11)"),
        (torch.tensor([[0, -1]]), "idx contains the id -1; valid ids are 0 to 10 (vocab_size=11)"),
    ],
)
def test_ids_that_do_not_fit_are_refused_with_what_would(idx, message):
    with pytest.raises(ValueError) as refusal:
        seeded()(idx)

    assert str(refusal.value) == message


@pytest.mark.parametrize(
    ("targets", "message"),
    [
        (torch.zeros(1, 2, dtype=torch.int64), "targets has shape (1, 2); use the shape of idx, (1, 3)"),
        (torch.tensor([[0, 1, 11]]), "targets contains the id 11; valid ids are -1 to 10 (vocab_size=11)"),
        (torch.tensor([[0, 1, -100]]), "targets contains the id -100; valid ids are -1 to 10 (vocab_size=11)"),
        (torch.zeros(1, 3), "targets has dtype torch.float32; use torch.int64"),
        (torch.full((1, 3), -1), "targets has only ignored positions (-1); use at least one id to predict"),
    ],
)
def test_targets_that_do_not_fit_are_refused_with_what_would(targets, message):
    with pytest.raises(ValueError) as refusal:
        seeded()(torch.tensor([[0, 1, 2]]), targets)

    assert str(refusal.value) == message


def test_ids_are_refused_under_python_O():
    program = (
        "import torch; from gpt import GPT; from gpt_config import PRESETS\n"
        "try: GPT(PRESETS['small test'])(torch.tensor([[7]]))\nexcept ValueError as e: print(e)"
    )
    run = subprocess.run([sys.executable, "-O", "-c", program], capture_output=True, text=True, check=True)

    assert run.stdout == "idx contains the id 7; valid ids are 0 to 6 (vocab_size=7)\n"


# Sampling


def test_sampling_appends_and_reads_at_most_block_size_positions():
    model, prompt = lively(), ids(2, 8)
    torch.manual_seed(0)
    text = model.generate(prompt, 5)

    assert text.shape == (2, 13)
    assert torch.equal(text[:, :8], prompt)


def test_padded_rows_are_never_sampled():
    model = lively()
    with torch.no_grad():
        model.lm_head.weight[8:] += 5 * model.transformer.ln_f.bias.sign()  # the padded rows would win
    prompt = ids(64, 4, high=8)

    assert (model.generate(prompt, 5) >= 8).any()
    assert (model.generate(prompt, 5, valid_vocab_size=8) < 8).all()


def test_top_1_is_the_most_likely_token():
    model, prompt = lively(), ids(3, 4)

    assert torch.equal(model.generate(prompt, 1, top_k=1)[:, -1], model(prompt)[0][:, -1].argmax(-1))


def test_top_k_samples_exactly_k_ids_even_between_equal_logits():
    model, prompt = seeded(), torch.zeros(400, 1, dtype=torch.int64)
    nn.init.zeros_(model.lm_head.weight)

    assert len(model.generate(prompt, 1, top_k=3)[:, -1].unique()) == 3


def test_the_smallest_temperature_picks_the_most_likely_token():
    """Dividing by it overflows; the most likely token is still the one to draw."""
    model, prompt = lively(), ids(3, 4)

    for temperature in (1e-45, 1e-46, 5e-324):
        drawn = model.generate(prompt, 1, temperature=temperature)[:, -1]
        assert torch.equal(drawn, model(prompt)[0][:, -1].argmax(-1))


@pytest.mark.parametrize(
    ("prompt", "message"),
    [
        (torch.tensor([1, 2]), r"^idx has shape \(2,\); use \(B, T\) with B and T at least 1$"),
        ([[1, 2]], r"^idx=\[\[1, 2\]\] is not valid; use a tensor of ids$"),
        (torch.tensor([[999] + [1] * CONFIG.block_size]), r"^idx contains the id 999; valid ids are "),
    ],
)
def test_a_prompt_is_checked_in_full(prompt, message):
    """Also the part that is too long ago to be read."""
    with pytest.raises(ValueError, match=message):
        lively().generate(prompt, 1)


def test_a_low_temperature_sharpens():
    model, prompt = lively(), torch.zeros(500, 3, dtype=torch.int64)
    torch.manual_seed(0)
    cold, hot = (model.generate(prompt, 1, temperature=t)[:, -1].bincount(minlength=11).max() for t in (0.05, 20.0))

    assert cold > 2 * hot


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_new_tokens": 0}, "max_new_tokens=0 is not valid; use an integer of at least 1"),
        ({"temperature": 0}, "temperature=0 is not valid; use a finite number above 0"),
        ({"temperature": float("nan")}, "temperature=nan is not valid; use a finite number above 0"),
        ({"temperature": 10**400}, f"temperature={10**400} is not valid; use a finite number above 0"),
        ({"temperature": True}, "temperature=True is not valid; use a finite number above 0"),
        ({"temperature": "hot"}, "temperature='hot' is not valid; use a finite number above 0"),
        ({"top_k": 0}, "top_k=0 is not valid; use an integer of at least 1"),
        ({"top_k": 2.0}, "top_k=2.0 is not valid; use an integer of at least 1"),
        ({"valid_vocab_size": 0}, "valid_vocab_size=0 is not valid; use an integer from 1 to vocab_size=11"),
        ({"valid_vocab_size": 12}, "valid_vocab_size=12 is not valid; use an integer from 1 to vocab_size=11"),
    ],
)
def test_sampling_refuses_what_makes_no_sense(options, message):
    with pytest.raises(ValueError) as refusal:
        seeded().generate(ids(1, 2), **{"max_new_tokens": 1, **options})

    assert str(refusal.value) == message


# Trimming


def saved_bytes(model: GPT) -> int:
    file = io.BytesIO()
    torch.save(model.state_dict(), file)
    return len(file.getvalue())


def test_trimming_removes_rows_and_leaves_the_prefix_bit_equal():
    model, x = lively(), ids(2, 4)
    before, count, size = model(x, x)[0], model.get_num_params(non_embedding=False), saved_bytes(model)
    model.crop_block_size(4)

    assert count - model.get_num_params(non_embedding=False) == (9 - 4) * 12
    assert torch.equal(model(x, x)[0], before)
    assert size - saved_bytes(model) >= 4 * (9 - 4) * 12
    assert (CONFIG.block_size, model.config.block_size, model.transformer.wpe.num_embeddings) == (9, 4, 4)
    with pytest.raises(ValueError, match="block_size=4"):
        model(ids(1, 5))


@settings(max_examples=20, deadline=None)
@given(T=st.integers(1, 9))
def test_any_length_from_1_to_T_can_be_cut_to(T):
    model, x = lively(), ids(2, T)
    before = model(x, x)[0]
    model.crop_block_size(T)

    assert torch.equal(model(x, x)[0], before)
    assert model.transformer.wpe.weight.untyped_storage().nbytes() == 4 * T * 12


@pytest.mark.parametrize(
    ("n", "message"),
    [
        (10, "block_size=10 is not valid; this model can be cut to 1..9"),
        (0, "block_size=0 is not valid; use an integer of at least 1"),
        (-1, "block_size=-1 is not valid; use an integer of at least 1"),
        (4.0, "block_size=4.0 is not valid; use an integer of at least 1"),
        (True, "block_size=True is not valid; use an integer of at least 1"),
    ],
)
def test_trimming_out_of_range_is_refused_and_changes_nothing(n, message):
    model = seeded()
    before = model.transformer.wpe.weight.clone()
    with pytest.raises(ValueError) as refusal:
        model.crop_block_size(n)

    assert str(refusal.value) == message
    assert torch.equal(model.transformer.wpe.weight, before)
    assert model.config == CONFIG


# PyTorch's two ways to say that a tensor has rows that another has not.
SHAPE_ERROR = r"size of tensor a \(\d+\) must match|output with shape .* doesn't match the broadcast shape"
OPTIMIZERS = [
    (torch.optim.AdamW, {}),
    (torch.optim.AdamW, {"foreach": False}),
    (torch.optim.SGD, {"lr": 0.1, "momentum": 0.9}),
    (torch.optim.SGD, {"lr": 0.1}),
]


@pytest.mark.parametrize(("kind", "options"), OPTIMIZERS)
@pytest.mark.parametrize("n", [1, 4])
def test_an_optimizer_that_is_handed_over_goes_on_as_if_the_rows_had_never_been(kind, options, n):
    """The same steps on a model that was short from the start give the same weights."""
    long, short = lively(), GPT(replace(CONFIG, block_size=n))
    state = long.state_dict()
    short.load_state_dict({**state, "transformer.wpe.weight": state["transformer.wpe.weight"][:n]})
    optimizers = [kind(model.parameters(), **options) for model in (long, short)]
    x, y = ids(3, n), ids(3, n).flip(0)
    losses = []
    for model, optimizer in zip((long, short), optimizers, strict=True):
        losses.append(model(x, y)[1])  # an old loss that stays alive must not matter
        losses[-1].backward()
        optimizer.step()
    long.crop_block_size(n, optimizers[0])
    for model, optimizer in zip((long, short), optimizers, strict=True):
        model(x, y)[1].backward()  # on top of the gradient that is there
        optimizer.step()

    owned = {id(p) for group in optimizers[0].param_groups for p in group["params"]}
    assert owned == {id(p) for p in long.parameters()}
    for a, b in zip(long.parameters(), short.parameters(), strict=True):
        torch.testing.assert_close(a, b)


@pytest.mark.parametrize(("kind", "options"), OPTIMIZERS[:3])
@pytest.mark.parametrize("n", [1, 4])
def test_an_optimizer_that_is_not_handed_over_stops_with_an_error(kind, options, n):
    """It still owns every parameter, but its moments have the old shape."""
    model = lively()
    optimizer = kind(model.parameters(), **options)
    model(ids(3, 9), ids(3, 9))[1].backward()
    optimizer.step()
    model.crop_block_size(n)
    model(ids(3, n), ids(3, n))[1].backward()

    assert {id(p) for group in optimizer.param_groups for p in group["params"]} == {id(p) for p in model.parameters()}
    with pytest.raises(RuntimeError, match=SHAPE_ERROR):
        optimizer.step()


def test_an_optimizer_with_moments_of_another_shape_goes_on_if_it_is_handed_over():
    """Adafactor keeps a mean over each row and one over each column."""
    model = lively()
    optimizer = torch.optim.Adafactor(model.parameters())
    model(ids(3, 9), ids(3, 9))[1].backward()
    optimizer.step()
    model.crop_block_size(4, optimizer)
    optimizer.zero_grad()
    before = model.transformer.wpe.weight.clone()
    model(ids(3, 4), ids(3, 4))[1].backward()
    optimizer.step()

    assert not torch.equal(model.transformer.wpe.weight, before)


@pytest.mark.parametrize("n", [1, 4])
def test_a_gradient_of_the_old_shape_stops_the_next_step(n):
    model = lively()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    old_loss = model(ids(3, 9), ids(3, 9))[1]
    model.crop_block_size(n, optimizer)
    old_loss.backward()
    with pytest.raises(RuntimeError, match=SHAPE_ERROR):
        optimizer.step()


def test_an_optimizer_that_has_not_stepped_keeps_no_trace_of_trimming():
    """A loop that asks whether there is a state already must not find an empty one."""
    model = seeded()
    optimizer = torch.optim.AdamW(model.parameters())
    model.crop_block_size(4, optimizer)

    assert optimizer.state_dict()["state"] == {}


def test_an_optimizer_of_another_model_is_refused_and_nothing_changes():
    model, other = seeded(), torch.optim.SGD(seeded().parameters(), lr=0.1)
    with pytest.raises(ValueError, match=r"does not own transformer.wpe.weight"):
        model.crop_block_size(4, other)

    assert model.config == CONFIG


# Loading


FRESH = seeded(seed=1).state_dict()
ONE_NAN = FRESH["lm_head.weight"].clone()
ONE_NAN[3, 5] = math.nan
TIES = "transformer.wte.weight and lm_head.weight differ in the state dict; this model ties them"


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({**FRESH, "lm_head.weight": FRESH["lm_head.weight"] + 1}, TIES),
        ({**FRESH, "lm_head.weight": ONE_NAN}, TIES),
        (
            seeded(replace(CONFIG, vocab_size=8), seed=1).state_dict(),
            "transformer.wte.weight has shape (8, 12) in the state dict and (11, 12) in the model",
        ),
        (
            {name: tensor for name, tensor in FRESH.items() if name != "transformer.ln_f.bias"},
            "the state dict lacks transformer.ln_f.bias",
        ),
        (
            {**FRESH, "transformer.h.0.attn.bias": torch.ones(1, 1, 9, 9)},
            "the state dict has entries that the model has not: transformer.h.0.attn.bias",
        ),
    ],
    ids=["untied", "one NaN", "another vocabulary", "missing", "unknown"],
)
def test_a_state_dict_that_does_not_fit_is_refused_and_nothing_changes(state, message):
    """Another vocabulary is the padded one of 50304 rows where 50257 were saved, in small."""
    model = seeded()
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    with pytest.raises(ValueError) as refusal:
        model.load_state_dict(state)

    assert str(refusal.value) == message
    assert all(torch.equal(tensor, before[name]) for name, tensor in model.state_dict().items())


def test_a_saved_model_comes_back_equal():
    model, again = lively(), seeded(seed=9)
    file = io.BytesIO()
    torch.save(model.state_dict(), file)
    file.seek(0)
    again.load_state_dict(torch.load(file))

    assert torch.equal(again(ids(2, 9))[0], model(ids(2, 9))[0])


@pytest.mark.parametrize("assign", [True, False])
def test_a_run_that_diverged_comes_back(assign):
    """NaN is not equal to itself, and yet the tied entries agree."""
    model, again = lively(), seeded(seed=9)
    with torch.no_grad():
        model.transformer.wte.weight[3, 5] = math.nan
    again.load_state_dict(model.state_dict(), assign=assign)

    torch.testing.assert_close(again.lm_head.weight, model.lm_head.weight, rtol=0, atol=0, equal_nan=True)


def test_tied_entries_of_two_types_agree_if_their_numbers_do():
    model = seeded()
    model.load_state_dict({**FRESH, "lm_head.weight": FRESH["lm_head.weight"].double()})

    assert torch.equal(model.lm_head.weight, FRESH["lm_head.weight"])

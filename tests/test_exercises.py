"""The exercises: right answers are the model's, wrong ones are traced to their cause, and one source feeds them all."""

import io
import json
import math
import random
import re
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import nbformat
import numpy as np
import pytest
import torch
from torch import nn

import make_exercise_labs as maker
import measurements
from answers import (
    SENTENCES,
    Choice,
    Design,
    Number,
    PickLine,
    UnreadableAnswer,
    diagnose,
    leading_digits,
    read_number,
    shown,
)
from bugs import BUGS, COUNT, INITIALIZE, TIE
from exercise_pages import _places, exercise_twin, key, sealed
from exercise_pages import exercise as page_state
from exercise_trials import try_count, try_initialization, try_tying
from exercises import (
    EXERCISES,
    INSTANCES,
    PLACES,
    ask,
    check,
    hint,
    instances,
    order_of_options,
    right_answer,
    wrong_line,
)
from gpt import GPT
from gpt_config import PRESETS, GPTConfig

ROOT = Path(__file__).parent.parent
NUMBERS = [(e, q) for e in EXERCISES for q in e.questions if isinstance(q, Number)]
QUESTIONS = [question for e in EXERCISES for question in e.questions]
every_exercise = pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.id)
every_number = pytest.mark.parametrize(("exercise", "question"), NUMBERS, ids=[q.id for _, q in NUMBERS])
every_question = pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.id)


# ---- The right answers are what the model says ------------------------------------------------------


def model(q, **changes) -> GPT:
    """A model of these quantities without memory for its numbers; one head unless the quantities say otherwise."""
    fields = {"T": "block_size", "V": "vocab_size", "L": "n_layer", "H": "n_head", "C": "n_embd"}
    given = {"block_size": 2, "vocab_size": 3, "n_layer": 1, "n_head": 1}
    given |= {name: getattr(q, symbol) for symbol, name in fields.items() if hasattr(q, symbol)}
    return on_meta(GPTConfig(**given | changes))


@cache
def on_meta(config: GPTConfig) -> GPT:
    with torch.device("meta"):
        return GPT(config)


def unique(module: nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters())


def trimmed(q) -> int:
    trimmed_model = GPT(GPTConfig(q.T, q.V, q.L, q.H, q.C))
    before = unique(trimmed_model)
    trimmed_model.crop_block_size(q.n)
    return before - unique(trimmed_model)


def differing_positions(q) -> int:
    torch.manual_seed(0)
    models = [GPT(GPTConfig(q.t, 11, 2, H, q.C)) for H in (q.H, q.H2)]
    models[1].load_state_dict(models[0].state_dict())
    ids = torch.randint(11, (1, q.t))
    with torch.no_grad():
        for one in models:
            for parameter in one.transformer.h.parameters():
                parameter.mul_(30 if parameter.dim() == 2 else 1)
        logits = [one(ids, targets=ids)[0] for one in models]
    return int(((logits[0] - logits[1]).abs().amax(dim=(0, 2)) > 1e-4).sum())


def saved_bytes(tensor) -> int:
    """Bytes of numbers in a saved file: what is loaded again holds the whole storage."""
    file = io.BytesIO()
    torch.save(tensor, file)
    file.seek(0)
    return torch.load(file).untyped_storage().nbytes()


def by_dimensions(q, decayed: bool) -> int:
    return sum(p.numel() for p in model(q).parameters() if (p.dim() >= 2) == decayed)


def simply_trimmed(q) -> tuple[GPT, list]:
    """A model whose position table was replaced, and the Parameters of the optimizer made before."""
    trimmed_model = GPT(GPTConfig(q.T, q.V, q.L, q.H, q.C))
    optimizer = torch.optim.AdamW(trimmed_model.parameters())
    wpe = trimmed_model.transformer.wpe
    wpe.weight = nn.Parameter(wpe.weight[: q.n].detach().clone())
    return trimmed_model, [p for group in optimizer.param_groups for p in group["params"]]


def not_owned(q) -> int:
    trimmed_model, held = simply_trimmed(q)
    return sum(p.numel() for p in trimmed_model.parameters() if not any(p is h for h in held))


def vocabulary_of(q) -> int:
    """The V whose model has the count of the question, found by asking models."""
    below, two = (unique(model(q, vocab_size=V)) for V in (1, 2))
    return 1 + (q.N - below) // (two - below)


def logged_vocabulary(q) -> int:
    nearest = range(q.tokens // q.m * q.m, q.tokens + 4 * q.m, q.m)
    return next(V for V in nearest if f"{unique(model(q, vocab_size=V)) / 1e6:.2f}" == q.printed)


def smallest_multiple(n: int, m: int) -> int:
    return next(k for k in range(n, n + m) if k % m == 0)


def attention_weights(q) -> int:
    with torch.device("meta"):
        return unique(nn.ModuleList([nn.Linear(q.C, 3 * q.H * q.d, bias=False), nn.Linear(q.H * q.d, q.C, bias=False)]))


def first_loss(q) -> float:
    """Mean loss over all targets, of logits made from normalized values and weights of standard deviation 0.02."""
    torch.manual_seed(0)
    hidden = nn.functional.layer_norm(torch.randn(3, q.C), (q.C,))
    losses = []
    for x in hidden:
        logits = torch.cat([0.02 * torch.randn(rows, q.C) @ x for rows in (q.V // 2, q.V - q.V // 2)])
        losses.append((logits.logsumexp(0) - logits.mean()).item())
    return sum(losses) / len(losses)


def shape_of(q) -> torch.Size:
    return model(q).transformer.h[0].get_parameter(f"{q.name}.weight").shape


def kept_attention(q, T: int, H: int) -> int:
    """Bytes of the attention weights that autograd keeps, in a model without memory for its numbers."""
    with torch.device("meta"):
        one = GPT(GPTConfig(T, 3, q.L, H, q.C), explicit_attention=True)
        ids = torch.zeros(q.B, T, dtype=torch.long)
    return measurements.saved_bytes(one, lambda: one(ids, ids), (q.B, H, T, T))


MEASURED = {
    "trimming": trimmed,
    "head_count": lambda q: unique(model(q, n_head=q.H2)) - unique(model(q)),
    "head_width": lambda q: model(q, n_head=q.H2).config.head_width,
    "same_weights_positions": differing_positions,
    "no_bias": lambda q: unique(model(q, bias=False)),
    "stored_sum": lambda q: sum(t.numel() for t in model(q).state_dict().values()),
    "which_v": vocabulary_of,
    "which_v_larger": lambda q: unique(model(q, vocab_size=vocabulary_of(q), n_layer=q.L2, n_embd=q.C2)),
    "wrong_vocab": logged_vocabulary,
    "wrong_vocab_excess": lambda q: (
        unique(model(q, vocab_size=logged_vocabulary(q))) - unique(model(q, vocab_size=q.tokens))
    ),
    "view_storage": lambda q: saved_bytes(torch.zeros(q.T, q.C)[: q.n]),
    "view_clone": lambda q: saved_bytes(torch.zeros(q.T, q.C)[: q.n].clone()),
    "weight_shape": lambda q: shape_of(q)[0],
    "weight_columns": lambda q: shape_of(q)[1],
    "attention_bytes": lambda q: kept_attention(q, q.T, q.H),
    "attention_growth": lambda q: Fraction(kept_attention(q, q.T2, q.H2), kept_attention(q, q.T, q.H)),
    "padding": lambda q: smallest_multiple(q.n, q.m),
    "padding_exact": lambda q: smallest_multiple(q.k, q.m),
    "double_width": lambda q: unique(model(q, n_embd=2 * q.C)) / unique(model(q)),
    "double_width_total": lambda q: unique(model(q, n_embd=2 * q.C)),
    "decay_split": lambda q: by_dimensions(q, True),
    "not_decayed": lambda q: by_dimensions(q, False),
    "first_loss": first_loss,
    "odd_rows": attention_weights,
    "old_optimizer": not_owned,
    "optimizer_owns": lambda q: sum(p.numel() for p in simply_trimmed(q)[1]),
}
SLOW = {"first_loss": 2, "same_weights_positions": 8}  # how many instances are tried
SLOW |= dict.fromkeys(("head_count", "head_width", "no_bias", "stored_sum"), 8)
SLOW |= dict.fromkeys(("which_v", "which_v_larger", "wrong_vocab", "wrong_vocab_excess"), 4)
SLOW |= dict.fromkeys(("double_width", "double_width_total", "decay_split", "not_decayed"), 6)
SLOW |= dict.fromkeys(("attention_bytes", "attention_growth"), 4)


@every_number
def test_the_right_answer_is_what_the_model_says(exercise, question):
    assert question.id in MEASURED, f"say in MEASURED how a model answers {question.id!r}"
    for instance, q in list(enumerate(instances(exercise.id)))[: SLOW.get(question.id, INSTANCES)]:
        measured = MEASURED[question.id](q)

        assert check(question.id, str(measured), instance).right, (q, measured)


def test_every_number_is_measured():
    assert MEASURED.keys() == {question.id for _, question in NUMBERS}


def test_the_right_choices_are_what_the_model_does():
    """Strict loading succeeds, the tied matrix is the difference, and the old optimizer passes over the new table."""
    q = instances("same_weights")[0]
    models = [GPT(GPTConfig(6, 7, 2, H, q.C)) for H in (q.H, q.H2)]
    result = models[1].load_state_dict(models[0].state_dict(), strict=True)
    assert (result.missing_keys, result.unexpected_keys) == ([], [])
    assert check("same_weights", "c").right

    tiny = GPT(PRESETS["small test"])
    names = [name for name, t in tiny.state_dict().items() if t.data_ptr() == tiny.lm_head.weight.data_ptr()]
    assert names == ["transformer.wte.weight", "lm_head.weight"]
    assert check("stored_why", "b").right

    fits = []
    for name in ("attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj"):
        state = tiny.state_dict()
        state[f"transformer.h.0.{name}.weight"] = state[f"transformer.h.0.{name}.weight"].T
        try:
            GPT(PRESETS["small test"]).load_state_dict(state, strict=True)
            fits.append(name)
        except ValueError as refusal:
            assert f"{name}.weight has shape " in str(refusal)
    assert fits == ["attn.c_proj"]
    assert check("weight_transposed", "b").right

    trimmed_model, held = simply_trimmed(SimpleNamespace(T=6, V=7, L=2, H=2, C=8, n=4))
    table = trimmed_model.transformer.wpe.weight.clone()
    ids = torch.tensor([[3, 1, 4, 1]])
    trimmed_model(ids, targets=ids)[1].backward()
    torch.optim.AdamW(held).step()
    assert torch.equal(trimmed_model.transformer.wpe.weight, table)
    assert check("optimizer_symptom", "b").right


# ---- Wrong answers ----------------------------------------------------------------------------------


@every_number
def test_every_mistake_is_answered_with_its_own_words(exercise, question):
    """Each single mistake and each pair, with all numbers: refused, and each claimed cause produces the number."""
    for q in instances(exercise.id):
        mistakes = list(question.mistakes(q))
        for indices, wrong in mistakes:
            if wrong is None:
                continue
            right, lines = diagnose(question, question.answer(q), mistakes, Fraction(wrong), "it", False)
            said = " ".join(text for line in lines for text, _ in line)

            alone = [i for i, value in mistakes if len(i) == 1 and value is not None and question.agrees(value, wrong)]
            told = [indices] if len(indices) == 1 or not alone else alone
            assert not right, (q, indices, wrong)
            for slip in (question.slips[i] for group in told for i in group):
                assert any(slip.cause in text and place == slip.place for line in lines for text, place in line)
            if len(indices) == 2 and not alone:
                assert "together" in said or "more than one" in said


@every_number
def test_a_drawn_instance_tells_its_single_mistakes_apart(exercise, question):
    for q in instances(exercise.id)[len(exercise.given) :]:
        wrong = [value for indices, value in question.mistakes(q) if len(indices) == 1]

        assert None not in wrong
        for value in wrong:
            assert sum(question.agrees(value, other) for other in wrong) == 1


@every_number
def test_no_known_mistake_is_within_the_tolerance(exercise, question):
    """With all numbers, also those of the text: a single mistake is farther from the right answer than is allowed."""
    for q in instances(exercise.id):
        right = Fraction(question.answer(q))
        for slip in question.slips:
            assert abs(Fraction(slip.change(right, q)) - right) > (question.tolerance or 0), (q, slip.cause)
            assert not question.agrees(slip.change(right, q), right)


@pytest.mark.parametrize(
    ("name", "answer", "words"),
    [
        ("trimming", 1816, "get_num_params() gives that before and after"),
        ("trimming", 1864, "what the model has before"),
        ("head_count", 192, "size of c_attn in one layer"),
        ("head_count", 256, "attention of one layer"),
        ("head_count", 512, "attention of all layers"),
        ("no_bias", 1648, "LayerNorms of the blocks out"),
        ("no_bias", 1640, "every LayerNorm out"),
        ("no_bias", 1720, "shifts of all LayerNorms in"),
        ("wrong_vocab", 50368, "One multiple too many"),
        ("not_decayed", 82_944, "Linear biases alone"),
        ("not_decayed", 84_480, "LayerNorms of the blocks out"),
        ("which_v", 50257, "GPT-2's vocabulary"),
        ("which_v", 50304, "padded vocabulary"),
        ("which_v_larger", 354_823_168, "GPT-2's vocabulary"),
        ("which_v_larger", "302.3M", "blocks alone"),
        ("which_v_larger", 343_760_896, "position table out"),
        ("double_width_total", "417.2M", "position table out"),
        ("view_storage", 98_304, "numbers of the slice"),
        ("weight_shape", 768, "a Linear stores (out, in)"),
        ("weight_columns", 3072, "one column for each input"),
        ("attention_bytes", 1_207_959_552, "keys and values"),
        ("attention_bytes", 452_984_832, "one head"),
        ("attention_bytes", "1.6875 GiB", "numbers, not bytes"),
        ("attention_growth", 4, "left H out"),
        ("attention_growth", 1, "T rows and T columns"),
    ],
)
def test_a_likely_wrong_answer_is_one_thought(name, answer, words):
    text = check(name, answer).text

    assert words in text
    assert "together" not in text
    assert "Two at once" not in text


@every_number
def test_of_random_wrong_numbers_none_is_accepted_and_no_cause_is_invented(exercise, question):
    """10,000 in all: near the right answer, near a mistake, of its size, and anywhere."""
    rng = random.Random(question.id)
    tables = [(question.answer(q), list(question.mistakes(q))) for q in instances(exercise.id)]
    for _ in range(-(-10_000 // len(NUMBERS))):
        instance = rng.randrange(INSTANCES)
        q = instances(exercise.id)[instance]
        right, mistakes = tables[instance]
        centre = rng.choice([right, right, *(v for _, v in mistakes if v is not None)])
        unit = question.tolerance or 1
        guess = rng.choice((centre + unit / 2 * rng.randrange(-50, 51), rng.randrange(1, 10 ** rng.randrange(1, 12))))
        guess = Fraction(guess) if question.tolerance else Fraction(round(guess))
        verdict = check(question.id, f"{float(guess):.6f}" if guess.denominator > 1 else str(guess), instance)

        off = abs(guess - Fraction(right))
        if off > (unit * Fraction(101, 100) if question.tolerance else 0):
            assert not verdict.right, (q, guess)
        if off <= (unit - Fraction(1, 10**6) if question.tolerance else 0):
            assert verdict.right, (q, guess)
        produced = any(value is not None and question.agrees(guess, value) for _, value in mistakes)
        explained = any(slip.cause in verdict.text for slip in question.slips)
        if not verdict.right:
            assert explained == produced, (q, guess)
            others = (SENTENCES["millions"], SENTENCES["thousands"])
            told = [sentence.partition("}")[2] for sentence in others]
            assert explained or question.next_step in verdict.text or any(words in verdict.text for words in told)


def test_several_causes_are_all_named():
    assert check("trimming", 32).text == (
        "32 is not it, and more than one mistake leads there:\n"
        f"- You counted the rows that stay; the question is about those that go. See {PLACES['trimming']}.\n"
        f"- You counted once per layer; the model has one position table. See {PLACES['trimming']}.\n"
        f"- You counted once per head; heads have no table of their own. See {PLACES['heads']}."
    )


def test_two_mistakes_together_are_found():
    """1680 + 9LC + VC: the Linear biases left in, and the head counted as well."""
    assert check("no_bias", 1680 + 9 * 2 * 8 + 7 * 8).text == (
        "1880 is not it. Two mistakes together lead there:\n"
        f"- You left the Linear biases in, 9C in each block. See {PLACES['biases']}.\n"
        f"- You counted the head as well: + VC; it is tied to the table. See {PLACES['tying']}."
    )


# Words of a cause, and the names of the tensors that this mistake adds or leaves out.
FORGOTTEN = {
    ("no_bias", "Linear biases in"): (1, r"(attn|mlp)\.\w+\.bias"),
    ("no_bias", "LayerNorm biases of the blocks in"): (1, r"ln_[12]\.bias"),
    ("no_bias", "LayerNorms of the blocks out"): (-1, r"ln_[12]\.weight"),
    ("no_bias", "every LayerNorm out"): (-1, r"ln_\w\.weight"),
    ("no_bias", "shifts of all LayerNorms in"): (1, r"ln_\w\.bias"),
    ("no_bias", "left ln_f out"): (-1, r"ln_f\.weight"),
    ("no_bias", "one LayerNorm in each block"): (-1, r"ln_2\.weight"),
    ("no_bias", "head as well"): (1, r"wte\.weight"),
    ("no_bias", "position table out"): (-1, r"wpe\.weight"),
    ("no_bias", "token table out"): (-1, r"wte\.weight"),
    ("stored_sum", "tied matrix once, as"): (-1, r"wte\.weight"),
    ("stored_sum", "position table out"): (-1, r"wpe\.weight"),
    ("stored_sum", "left ln_f out"): (-1, r"ln_f\.(weight|bias)"),
    ("stored_sum", "one LayerNorm in each block"): (-1, r"ln_2\.(weight|bias)"),
    ("stored_sum", "Linear biases out"): (-1, r"(attn|mlp)\.\w+\.bias"),
    ("stored_sum", "LayerNorm biases out"): (-1, r"ln_\w\.bias"),
    ("decay_split", "token table out"): (-1, r"wte\.weight"),
    ("decay_split", "position table out"): (-1, r"wpe\.weight"),
    ("decay_split", "Linear biases with the matrices"): (1, r"(attn|mlp)\.\w+\.bias"),
    ("not_decayed", "counted one vector"): (-1, r"ln_\w\.bias"),
    ("not_decayed", "LayerNorms of the blocks out"): (-1, r"ln_[12]\.(weight|bias)"),
    ("not_decayed", "Linear biases alone"): (-1, r"ln_\w\.(weight|bias)"),
    ("not_decayed", "Linear biases out"): (-1, r"(attn|mlp)\.\w+\.bias"),
    ("not_decayed", "left ln_f out"): (-1, r"ln_f\.(weight|bias)"),
    ("not_decayed", "one LayerNorm in each block"): (-1, r"ln_2\.(weight|bias)"),
    ("not_decayed", "position table here"): (1, r"wpe\.weight"),
    ("optimizer_owns", "left ln_f out"): (-1, r"ln_f\.(weight|bias)"),
    ("optimizer_owns", "Linear biases out"): (-1, r"(attn|mlp)\.\w+\.bias"),
    ("optimizer_owns", "one LayerNorm in each block"): (-1, r"ln_2\.(weight|bias)"),
}


@pytest.mark.parametrize(("name", "words"), FORGOTTEN, ids=str)
def test_a_forgotten_tensor_is_as_large_as_in_the_model(name, words):
    """The number that a cause accounts for is the size of the tensors it speaks of, in a real model."""
    sign, tensors = FORGOTTEN[name, words]
    exercise, question = next((e, q) for e, q in NUMBERS if q.id == name)
    (slip,) = [slip for slip in question.slips if words in slip.cause]
    for q in instances(exercise.id)[:4]:
        pattern = re.compile(rf"\.{tensors}$")
        size = sum(p.numel() for key, p in model(q).named_parameters() if pattern.search(key))

        assert size > 0
        assert slip.change(question.answer(q), q) - question.answer(q) == sign * size


# ---- Reading what people type -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["1864", "1,864", "1 864", "1_864", " 1864 ", "+1864", "1864.0", "1.864k", "1.864 K", "0.001864M", "1.864e3",
     "0.000001864B", "1\u00a0864", "1\u202f864", "18640e-1", "1'864", "1\u2019864",
     "0.001864 million", "1.864 thousand", "1864.", "1,864.", "１８６４", "１，８６４", "１．８６４ｋ", "\u30001864"],
)  # fmt: skip
def test_a_number_is_read_as_people_type_it(text):
    assert read_number(text)[0] == 1864


@pytest.mark.parametrize("text", ["-16", "\u221216", "- 16", " -16", "-0.016k"])
def test_a_leading_minus_is_read(text):
    assert read_number(text)[0] == -16


@pytest.mark.parametrize(
    "text",
    ["abc", "1.8.6", "12 34", "<b>16</b>", "__import__('os')", "k",
     "0x10", "16..", "<img src=x alt=1>", ".5", "1e999", "--16", "9" * 41, "nan", "inf", "{got}"],
)  # fmt: skip
def test_anything_else_is_answered_with_what_was_not_understood(text):
    verdict = check("trimming", text)

    shown = text if len(text) <= 40 else text[:40] + "…"
    assert not verdict.right
    assert verdict.text == SENTENCES["unread"].format(got=shown)
    with pytest.raises(UnreadableAnswer, match="could not be read as a number"):
        read_number(text)


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("double_width", "3,365", "thousands"),
        ("first_loss", "10,979", "thousands"),
        ("double_width_total", "418,749M", "thousands"),
        ("double_width_total", "418,7M", "comma"),
        ("double_width", "3,37", "comma"),
        ("trimming", "1,8640", "comma"),
        ("trimming", "0,016", "comma"),
        ("trimming", "1,864 000", "comma"),
        ("trimming", "16 rows", "word"),
        ("trimming", "1864%", "word"),
        ("view_storage", "3145728 bits", "word"),
        ("no_bias", "1680 B bytes", "word"),
        ("no_bias", "2 MB", "word"),
        *(
            ("no_bias", formula, "formula")
            for formula in (
                "12*768**2",
                " + ".join(["7 * 8"] * 20),
                "(6-4)*8",
                "7 × 8",
                "7·8 + 6·8",
                "12 x 8",
                "V*C",
                "8²",
                "2^10",
                "16-1",
                "16\u22121",
                "3/4",
                "2(3+4)",
                "=16+1",
                "sqrt(2)",
                "1,680 + 8",
                "7*8+7*8+6*8+2*(12*8**2+13*8)+2*8+0",
            )
        ),
        ("double_width_total", "418.7", "millions"),
    ],
)
def test_it_is_said_what_was_not_understood(name, text, sentence):
    assert check(name, text).text == SENTENCES[sentence].format(got=shown(text))


def test_the_page_says_that_a_formula_is_not_evaluated():
    chapter = (ROOT / "chapters" / "exercises.md").read_text(encoding="utf-8")

    assert "\nA formula is not evaluated: work it out first.\n" in chapter
    assert "work it out first" in SENTENCES["formula"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("double_width", "3.37x"),
        ("double_width", "3.37 \u00d7"),
        ("first_loss", "10.98 nats"),
        ("no_bias", "1680 parameters"),
        ("no_bias", "1'680"),
        ("double_width_total", "418.7 million"),
        ("double_width_total", "418.7 million parameters"),
        ("view_storage", "3145728 bytes"),
        ("view_storage", "3145728 B"),
        ("view_storage", "3,145,728b"),
        ("view_storage", "3.145728 MB"),
        ("view_storage", "3145.728 kB"),
        ("view_storage", "3072 KiB"),
        ("view_storage", "3 MiB"),
        ("view_storage", "3MiB"),
        ("view_storage", "3.145728M bytes"),
        ("view_clone", "0.375 MiB"),
        ("head_width", "2 columns"),
        ("padding", "50304 rows"),
    ],
)
def test_the_unit_of_an_answer_may_be_typed_behind_it(name, text):
    assert check(name, text).text == f"{text} is right."


@pytest.mark.parametrize("text", ["", "   ", "\n\t"])
def test_nothing_typed_is_said_to_be_nothing(text):
    assert check("trimming", text).text == SENTENCES["empty"]


def test_a_rounded_number_is_right_where_a_tolerance_is_stated_and_asked_for_in_full_elsewhere():
    assert check("which_v_larger", "344.8M").right
    assert check("which_v_larger", "0.3448B").right
    assert check("which_v_larger", "345M").text == (
        "345M is not near enough. If you rounded it, give a digit more. If not: "
        "Compute the blocks alone first: L(12C² + 13C)."
    )
    assert check("decay_split", "0.124B").text == (
        "0.124B is not it. If you rounded it, give every digit. If not: "
        "List the tensors of one block with two dimensions, add them, and multiply by L."
    )


@pytest.mark.parametrize(
    ("name", "text", "rounded"),
    [
        ("double_width", "3.4", True),
        ("double_width", "3", True),
        ("double_width", "3.3", True),
        ("double_width", "3.39", True),
        ("double_width", "5", False),
        ("double_width", "33", False),
        ("first_loss", "11", True),
        ("first_loss", "10.99", True),
        ("first_loss", "10.9", True),
        ("first_loss", "10", True),
        ("first_loss", "20", False),
        ("first_loss", "9.99", False),
        ("first_loss", "-11", False),
        ("first_loss", "0", False),
        ("double_width_total", "0.42B", True),
        ("double_width_total", "4e8", True),
        ("double_width_total", "500M", False),
        ("double_width_total", "41M", False),
        ("which_v_larger", "345000000", True),
        ("which_v_larger", "1e10", False),
    ],
)
def test_a_number_that_was_rounded_too_far_is_told_so(name, text, rounded):
    """Wherever a tolerance is stated, with a suffix or without; and nothing that rounding does not lead to."""
    _, question = next((e, q) for e, q in NUMBERS if q.id == name)
    sentence = SENTENCES["coarse" if rounded else "unknown"]

    assert check(name, text).text == sentence.format(got=text, next_step=question.next_step)


@pytest.mark.parametrize(
    ("name", "text", "rounded"),
    [
        ("decay_split", "124M", True),
        ("decay_split", "0.12B", True),
        ("decay_split", "1e8", True),
        ("decay_split", "123.5M", True),
        ("decay_split", "12.4M", False),
        ("decay_split", "1.5e6", False),
        ("padding", "50304k", False),
        ("padding", "50.3k", True),
        ("padding", "51k", True),
        ("padding", "48k", False),
        ("padding", "1.5e6", False),
        ("view_storage", "3.1 MB", True),
        ("view_storage", "3.1 MiB", True),
        ("view_storage", "5 MB", False),
    ],
)
def test_rounding_is_spoken_of_only_where_it_could_lead_there(name, text, rounded):
    _, question = next((e, q) for e, q in NUMBERS if q.id == name)
    sentence = SENTENCES["rounded" if rounded else "unknown"]

    assert check(name, text).text == sentence.format(got=text, next_step=question.next_step)


@pytest.mark.parametrize(
    ("value", "digits"),
    [
        ("3.365", "33e-1"),
        ("3", "3e0"),
        ("3.0", "3e0"),
        ("3.04", "30e-1"),
        ("1e2", "1e2"),
        ("99.9", "99e0"),
        ("124000000", "12e7"),
        ("0.00070", "7e-4"),
        ("0", ""),
        ("-3", ""),
    ],
)
def test_the_leading_digits_of_a_number(value, digits):
    assert leading_digits(Fraction(value)) == digits


def test_a_decimal_is_refused_where_a_whole_number_is_asked_for():
    assert check("trimming", "16.5").text == SENTENCES["fraction"].format(got="16.5")


@every_number
def test_a_tolerance_is_kept(exercise, question):
    """Up to the tolerance is right, a hundredth more is not; without a tolerance only the number itself is."""
    for instance, q in enumerate(instances(exercise.id)):
        right = Fraction(question.answer(q))
        tolerance = question.tolerance or Fraction(1)
        for off in (-1, 1):
            assert question.agrees(right + off * tolerance, right) == (question.tolerance is not None)
            assert not question.agrees(right + off * tolerance * Fraction(1011, 1000), right)
        if question.tolerance is None:
            assert check(question.id, f"{int(right):,}", instance).right


# ---- Choices, lines, designs, functions -------------------------------------------------------------


@pytest.mark.parametrize("question", [q for q in QUESTIONS if isinstance(q, Choice)], ids=lambda q: q.id)
def test_a_choice_has_one_right_option_and_a_reason_against_each_other(question):
    for instance in range(INSTANCES):
        order = order_of_options(question, instance)
        verdicts = [check(question.id, letter, instance) for letter in "abcdef"[: len(order)]]

        assert sum(verdict.right for verdict in verdicts) == 1
        for i, verdict in zip(order, verdicts, strict=True):
            option = question.options[i]
            assert verdict.right or f"{option.reason} See {PLACES[option.place]}." in verdict.text
    assert check(question.id, "").text == SENTENCES["choose"]
    letters = ", ".join("abcdef"[: len(question.options)])
    assert check(question.id, "z").text == SENTENCES["unlisted"].format(got="z", choices=letters)


def test_each_line_but_the_wrong_one_is_defended():
    for instance, q in enumerate(instances("spot_the_bug")):
        bug = BUGS[q.bug]
        for number, (reason, place) in enumerate(zip(bug.snippet.reasons, bug.snippet.places, strict=True), start=1):
            verdict = check("spot_the_bug", number, instance)

            assert verdict.right == (number == bug.line)
            if verdict.right:
                assert verdict.text == f"{number} is right. {bug.reason}"
            else:
                assert verdict.text == f"{number} is not it. {reason} See {PLACES[place]}."


def test_each_wrong_line_has_its_reason():
    assert len({bug.reason for bug in BUGS}) == len(BUGS)
    assert wrong_line(1) == f"Line 6. {BUGS[0].reason}"
    with pytest.raises(ValueError, match=r"^piece=6 is not valid; use 1 to 5$"):
        wrong_line(6)


@pytest.mark.parametrize(
    ("snippet", "decided"),
    [
        (COUNT, ("unique count", "with biases", "tied head")),
        (
            INITIALIZE,
            ("tables and Linear weights with standard deviation 0.02", "end the branches of each block", "0.02/√(2L)"),
        ),
        (TIE, ("share one Parameter", "no other", "unique count")),
    ],
    ids=["count", "initialize", "tie"],
)
def test_the_prompt_decides_which_line_is_wrong(snippet, decided):
    """What a changed line would be right for, such as 0.02/√L or the stored count, is excluded by the prompt."""
    twin = exercise_twin(page_state("spot_the_bug"))
    assert all(words in snippet.title for words in decided)
    for instance, q in enumerate(instances("spot_the_bug")):
        if BUGS[q.bug].snippet is snippet:
            assert snippet.title in ask("spot_the_bug", instance).split("\n")
            assert instance >= 5 or f"<p>Piece {instance + 1}. {snippet.title}</p>" in twin


def test_counting_is_read_again_where_counting_is_taught():
    pages = {COUNT: {"counting"}, TIE: {"config"}}
    for snippet, expected in pages.items():
        assert {PLACES[place].page for place in snippet.places} == expected


def as_function(lines, signature: str, result: str = ""):
    """The snippet as a function; the lines are those of ``bugs.BUGS``, not of a reader."""
    body = "\n".join(f"    {line}" for line in (*lines, result))
    names = {"nn": nn, "math": math}
    exec(f"def snippet({signature}):\n{body}", names)
    return names["snippet"]


def tried(snippet, lines):
    if snippet is COUNT:
        count = as_function(lines, "V, T, L, C, H=2", "return total")
        return try_count(count)
    if snippet is INITIALIZE:
        return try_initialization(as_function(lines, "model"))
    build = as_function(lines, "V, C", "return model")
    agrees = as_function(lines, "V, C", "return total")(7, 8) == 7 * 8
    return try_tying(build) if agrees else SimpleNamespace(right=False)


@pytest.mark.parametrize("snippet", [COUNT, INITIALIZE, TIE], ids=["count", "initialize", "tie"])
def test_a_correct_snippet_agrees_with_the_model(snippet):
    assert tried(snippet, snippet.lines).right
    assert len(snippet.reasons) == len(snippet.places) == len(snippet.lines)


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: f"{bug.line} {bug.text.strip()}")
def test_each_bug_is_one(bug):
    assert bug.text != bug.snippet.lines[bug.line - 1]
    assert not tried(bug.snippet, bug.lines).right


def test_every_valid_design_is_accepted_and_no_other():
    """C and H over a grid, with numbers of the text and others: judged by counting real models."""
    for instance, q in list(enumerate(instances("design")))[:3]:
        for C in range(64, 800, 32):
            fits = {width: unique(model(q, n_embd=width)) <= q.budget for width in (C, C + 64)}
            for H in (1, 3, 4, 64):
                valid = C % 64 == 0 and C % H == 0 and fits[C] and not fits[C + 64]

                assert check("design", (C, H), instance).right == valid, (q, C, H)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ((100, 4), "C = 100 is not a multiple of 64."),
        ((250, 5), "C = 250 is not a multiple of 64."),
        ((256, 7), "H = 7 does not divide C = 256; the heads share the width in equal parts."),
        ((320, 5), "C = 320 gives 10,040,320 parameters, which is 40,320 over the budget."),
        ((192, 3), "C = 192 fits with 4,254,720 parameters, but C = 256 fits as well, with 6,852,608."),
        ((0, 1), "“0” is not a size: C and H are whole numbers of at least 1."),
        ((10_000_000, 1), "C = 10,000,000 gives 7,200,083,360,000,000 parameters"),
        (("", "4"), "Nothing to check yet: type a whole number for C."),
        (("256", " "), "Nothing to check yet: type a whole number for H."),
        (("", ""), "Nothing to check yet: type a whole number for C and H."),
        (("256", "x"), "H: “x” could not be read as a number."),
        (("256", "4.5"), "“4.5” is not a size: C and H are whole numbers of at least 1."),
    ],
)
def test_a_rejected_design_says_why(answer, text):
    said = check("design", answer).text

    assert said.startswith(text)
    assert "padded" not in said  # the section on padding speaks of rows, not of a width
    assert check("design", GPTConfig(256, 8000, 6, 4, 256)).right
    with pytest.raises(
        ValueError, match=r"^answer=GPTConfig\(block_size=9, .* is another model than the question's; use "
    ):
        check("design", GPTConfig(9, 8000, 6, 4, 256))


def test_a_function_is_tried_on_every_instance():
    assert check("trimming", lambda T, n, C: (T - n) * C).text == f"Right for all {INSTANCES} sets of numbers."
    assert check("padding", lambda n, m: n // m * m + m).right  # no instance of this question is an exact multiple
    assert not check("padding_exact", lambda k, m: k // m * m + m).right
    assert check("head_count", lambda H, H2: H2 - H).text.startswith("For H = 2, H2 = 4: 2 is not it.")
    assert check("trimming", lambda T, n, C, factor=1: factor * (T - n) * C).right


@pytest.mark.parametrize(
    ("function", "takes"),
    [
        (lambda T, rows: T - rows, r"\(T, rows\)"),
        (lambda T, /: T, r"\(T, /\)"),
        (lambda *T: T, r"\(\*T\)"),
        (lambda **T: T, r"\(\*\*T\)"),
    ],
)
def test_a_function_takes_quantities_of_the_question_by_name(function, takes):
    expected = rf"^the function takes {takes}; it must take quantities of this question by name: V, T, L, "
    with pytest.raises(ValueError, match=expected):
        check("trimming", function)


def test_a_blank_is_answered_by_what_to_fill_in():
    for answer in (..., lambda T, n, C: ...):
        assert check("trimming", answer).text == SENTENCES["blank"]
    for question_id in ("same_weights", "spot_the_bug", "design", "mend_norms", "mend_head"):
        assert check(question_id, ...).text == SENTENCES["blank"]
    assert check("design", (..., ...)).text == SENTENCES["blank"]
    assert not check("head_count", True).right


@pytest.mark.parametrize(
    "number", [Fraction, np.int64, np.float64, torch.tensor, lambda n: torch.tensor([n]), np.float32]
)
def test_a_number_of_numpy_or_pytorch_is_read_like_one_of_python(number):
    """What labs compute, from a reader's own function, too; it is said back as it would be typed."""
    assert check("trimming", number(16)).right
    python = number(15).item() if hasattr(number(15), "item") else 15
    assert check("trimming", number(15)).text == check("trimming", python).text
    assert check("trimming", lambda T, n, C: number((T - n) * C)).right
    assert check("design", (number(256), number(4))).right


@pytest.mark.parametrize("number", [np.float64, np.float32, torch.tensor])
def test_a_decimal_of_numpy_or_pytorch_is_read(number):
    assert check("first_loss", number(10.979)).right
    assert not check("first_loss", number(10.5)).right


def test_several_numbers_at_once_are_no_number():
    for answer in (torch.arange(2), np.arange(2), [16, 16]):
        assert check("trimming", answer).text == SENTENCES["unread"].format(got=repr(answer))


@pytest.mark.parametrize(
    ("name", "answer", "message"),
    [
        ("design", 256, "answer=256 is not valid; use (C, H) or a GPTConfig"),
        ("design", "256", "answer='256' is not valid; use (C, H) or a GPTConfig"),
        ("design", (256,), "answer=(256,) is not valid; use (C, H) or a GPTConfig"),
        ("design", (256, 4, 6), "answer=(256, 4, 6) is not valid; use (C, H) or a GPTConfig"),
        ("design", (..., 4, 6), "answer=(Ellipsis, 4, 6) is not valid; use (C, H) or a GPTConfig"),
        ("design", print, "answer=<built-in function print> is not valid; use (C, H) or a GPTConfig"),
        ("mend_norms", 1864, "answer=1864 is not valid; use the mended function"),
        (
            "same_weights",
            lambda C: "c",
            "question='same_weights' is not answered by a function: its answer is not a number",
        ),
        (
            "spot_the_bug",
            lambda bug: 6,
            "question='spot_the_bug' is not answered by a function: its answer is not a number",
        ),
    ],
)
def test_an_answer_of_another_kind_is_refused_with_the_right_kind(name, answer, message):
    with pytest.raises(ValueError) as refusal:
        check(name, answer)

    assert str(refusal.value) == message


def test_a_mended_function_that_returns_nothing_is_told_so():
    def count(V, T, L, C):
        V + T

    assert check("mend_norms", count).text == (
        "Not yet. For V = 7, T = 6, L = 2, C = 8 it gives None; the model has 1,864."
    )


@pytest.mark.parametrize("number", [True, 1.0, "1", None, -1, 31])
def test_only_a_whole_number_names_a_hint_a_piece_or_an_instance(number):
    with pytest.raises(ValueError) as refusal:
        hint("trimming", number)
    assert str(refusal.value) == f"hint={number!r} is not valid; trimming has hints 1 to 3"
    with pytest.raises(ValueError) as refusal:
        wrong_line(number)
    assert str(refusal.value) == f"piece={number!r} is not valid; use 1 to 5"
    with pytest.raises(ValueError) as refusal:
        ask("trimming", number)
    assert str(refusal.value) == f"instance={number!r} is not valid; use 0 to 30"


def test_the_odd_rows_are_six_of_the_printed_table():
    """Hoffmann et al. (2022), table A9: d_model, n_heads, kv_size."""
    odd = next(e for e in EXERCISES if e.id == "odd_rows").given

    assert [tuple(row.values()) for row in odd] == [
        (2688, 22, 128),
        (2944, 22, 128),
        (4352, 32, 128),
        (4608, 32, 128),
        (4864, 32, 128),
        (4992, 32, 128),
    ]


def test_unknown_names_and_numbers_are_refused():
    with pytest.raises(
        ValueError, match=r"^question='trim' is not known; use one of trimming, head_count, head_width, "
    ):
        check("trim", 16)
    with pytest.raises(ValueError, match=r"^instance=31 is not valid; use 0 to 30$"):
        ask("trimming", 31)
    with pytest.raises(ValueError, match=r"^hint=4 is not valid; trimming has hints 1 to 3$"):
        hint("trimming", 4)
    with pytest.raises(ValueError, match=r"^exercise='x' is not known; "):
        instances("x")
    with pytest.raises(ValueError, match=r"^question='stored_why' has no number for an answer$"):
        right_answer("stored_why")


# ---- The registry, the chapter and the labs name the same -------------------------------------------


@every_exercise
def test_an_exercise_is_complete(exercise):
    given = instances(exercise.id)

    assert len(given) == INSTANCES
    assert len({str(q) for q in given}) == INSTANCES
    assert vars(given[0]) == exercise.given[0]
    assert exercise.level in (1, 2, 3)
    assert exercise.questions[0].id == exercise.id


def test_new_numbers_bring_other_heads():
    """Of the same weights, what changes is the pair of head counts, and not the prompt alone."""
    pairs = [(q.H, q.H2) for q in instances("same_weights")]

    assert all(earlier != later for earlier, later in pairwise(pairs))
    assert set(vars(instances("same_weights")[1])) == {"C", "H", "H2", "t"}


@every_question
def test_hints_are_there_short_and_no_code(question):
    assert question.hints
    for text in question.hints:
        assert 2 <= len(text.split()) <= 45, text
        assert not re.search(r"`|\w\(\w*\)|==", text), text


@every_question
def test_every_place_is_known(question):
    places = _places(question, instances(next(e.id for e in EXERCISES if question in e.questions)))

    assert places
    assert places <= PLACES.keys()


def test_every_place_is_used():
    used = {place for e in EXERCISES for question in e.questions for place in _places(question, instances(e.id))}

    assert used == PLACES.keys()


def test_the_chapter_has_every_exercise_once_in_order_with_its_solution():
    chapter = (ROOT / "chapters" / "exercises.md").read_text(encoding="utf-8")
    stated = re.findall(r"^```\{exercise\} (.+)\n:label: exercise-(\w+)$", chapter, re.MULTILINE)

    assert [name for _, name in stated] == [exercise.id for exercise in EXERCISES]
    assert [title for title, _ in stated] == [exercise.title for exercise in EXERCISES]
    assert re.findall(r'^\{"exercise": "(\w+)"\}$', chapter, re.MULTILINE) == [name for _, name in stated]
    assert re.findall(r"^```\{solution\} exercise-(\w+)\n:class: dropdown$", chapter, re.MULTILINE) == [
        name for _, name in stated
    ]
    assert {e.level for e in EXERCISES} == {1, 2, 3}
    assert [e.level for e in EXERCISES] == sorted(e.level for e in EXERCISES)


def cells_of(name: str) -> list[str]:
    notebook = nbformat.read(ROOT / "notebooks" / name, as_version=4)
    return [cell.source for cell in notebook.cells if "remove-cell" not in cell.metadata.get("tags", [])]


def test_both_labs_come_from_one_source_and_differ_in_the_blanks_only():
    source, chapter = maker.SOURCE.read_text(encoding="utf-8"), maker.CHAPTER.read_text(encoding="utf-8")
    made = {
        name: [cell.source for cell in maker.lab(source, chapter, solved).cells] for name, solved in maker.LABS.items()
    }

    for name, cells in made.items():
        assert cells_of(name) == cells, f"{name} is stale: run `make notebooks`"
    blanks = [cell for cell, solved in zip(*made.values(), strict=True) if cell != solved]
    assert len(blanks) >= len(QUESTIONS)
    without = maker._BLANK.sub("...", source)
    plain = [cell.source for cell in maker.lab(without, chapter, False).cells]
    filled = [maker.lab(source, chapter, solved).cells for solved in (False, True)]
    for common, blank, solved in zip(plain, *filled, strict=True):
        assert "..." in common or common == blank.source == solved.source


def test_only_the_labs_that_are_named_are_made_again(tmp_path):
    named, other = tmp_path / "exercises.ipynb", tmp_path / "growth.ipynb"
    maker.main([str(named), str(other)])

    assert [path.name for path in tmp_path.iterdir()] == [named.name]
    assert nbformat.read(named, as_version=4).cells[0].source.startswith("# Lab: Exercises\n")


def test_the_labs_check_every_question():
    checked = set(re.findall(r'check\("(\w+)"', "\n".join(cells_of("exercises.ipynb"))))
    trials = {name for exercise in EXERCISES for name in exercise.trials}

    assert checked == {question.id for question in QUESTIONS} | trials


def test_in_the_solved_lab_everything_is_right():
    notebook = nbformat.read(ROOT / "notebooks" / "exercises-solved.ipynb", as_version=4)
    said = [
        output.data["text/plain"]
        for cell in notebook.cells
        if cell.cell_type == "code" and re.search(r"^check\(", cell.source, re.MULTILINE)
        for output in cell.outputs
    ]

    assert len(said) >= len(QUESTIONS)
    assert [text for text in said if "right" not in text.lower()] == []


def test_the_lab_to_be_filled_in_raises_nothing_and_says_what_to_do():
    notebook = nbformat.read(ROOT / "notebooks" / "exercises.ipynb", as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    said = [o.data["text/plain"] for c in code if re.search(r"^check\(", c.source, re.MULTILINE) for o in c.outputs]

    assert [o for cell in code for o in cell.outputs if o.output_type == "error"] == []
    assert set(said) >= {SENTENCES["blank"]}
    assert all(text == SENTENCES["blank"] or text.startswith("Not yet. ") for text in said)


def test_a_sealed_text_opens_with_the_answer_only():
    text = "8C counts each LayerNorm twice; C² is another thing."
    closed = sealed(text, "spot_the_bug", 3, "3")

    assert len(closed) == len(text)
    assert sealed(closed, "spot_the_bug", 3, "3") == text
    assert sealed(closed, "spot_the_bug", 3, "4") != text
    assert key("spot_the_bug", 3, "3") not in closed


@every_exercise
def test_the_page_is_handed_no_answer(exercise):
    """What the page holds does not change when the answers are taken out: only hashes depend on them."""
    data = page_state(exercise.id)["data"]
    for question, sent in zip(exercise.questions, data["questions"], strict=True):
        if isinstance(question, Design):
            assert "keys" not in sent
            continue
        assert all(re.fullmatch(r"[\w.-]+", key) for key in sent["keys"])
        rest = json.dumps({name: value for name, value in sent.items() if name != "keys"})
        if isinstance(question, Number):
            for q in instances(exercise.id):
                right = question.answer(q)
                assert not (right > 100_000 and f"{right:,}" in rest)
        if isinstance(question, PickLine):
            assert "line" not in {name for name in sent if name != "kind"}
            assert all(bug.reason not in rest for bug in BUGS)
        if isinstance(question, Choice):
            assert len(sent["reasons"]) == len(question.options) - 1
            assert all(len(key) == 6 for key in sent["reasons"])


def filled(parameters, value):
    for parameter in parameters:
        nn.init.constant_(parameter, value)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda model: filled((p for p in model.parameters() if p.dim() == 1), 5.0), "vectors stay as they are"),
        (lambda model: filled(model.parameters(), math.nan), "has a standard deviation of nan"),
        (lambda model: filled([model.transformer.wte.weight], math.nan), "has a standard deviation of nan"),
        (lambda model: nn.init.normal_(model.transformer.wpe.weight, 3, 0.02), "mean of 3.00"),
    ],
)
def test_first_values_are_looked_at_in_full(spoil, said):
    """Not the spread alone: also the mean, what must stay as it is, and what is no number."""
    verdict = try_initialization(lambda model: (as_function(INITIALIZE.lines, "model")(model), spoil(model)))

    assert not verdict.right
    assert said in verdict.text


class Head(nn.Module):
    """Logits of the right shape, without a Parameter of its own."""

    def forward(self, x):
        return torch.zeros(len(x), 7)


def test_a_head_that_only_looks_tied_is_found():
    verdict = try_tying(lambda V, C: {"wte": nn.Embedding(V, C), "lm_head": Head()})

    assert verdict.text == "Not yet. lm_head.weight is not the Parameter of wte."


@pytest.mark.parametrize("given", [Fraction(51, 2), "12", None])
def test_a_count_of_another_kind_is_said_back(given):
    assert f"it gives {given!r}; the model has " in try_count(lambda V, T, L, C: given).text


@pytest.mark.parametrize("question", [q for q in QUESTIONS if isinstance(q, Number)], ids=lambda q: q.id)
def test_mistakes_that_add_stand_before_those_that_multiply(question):
    """So that two together are found in the order in which people make them."""
    q = instances(next(e.id for e in EXERCISES if question in e.questions))[0]
    adds = [slip.change(1, q) - slip.change(0, q) == 1 for slip in question.slips if slip.combines]

    assert adds == sorted(adds, reverse=True)


def test_a_trial_has_no_instances():
    with pytest.raises(ValueError, match=r"^instance=3 is not valid; use 0 to 0$"):
        check("mend_head", lambda V, C: None, 3)


@pytest.mark.parametrize("build", [lambda V, C: None, lambda V, C: {"wte": torch.nn.Embedding(V, C)}, lambda V, C: 3])
def test_a_function_that_builds_no_pair_of_modules_is_told_so(build):
    verdict = try_tying(build)

    assert not verdict.right
    assert verdict.text == "Not yet. It must return a dictionary of two modules, wte and lm_head."


def test_an_error_of_the_readers_own_function_is_shown_as_it_is():
    with pytest.raises(TypeError, match="unsupported operand"):
        try_tying(lambda V, C: V + "C")

"""The exercises of the book, each defined once: for the page and for the labs.

An exercise has one or more questions about the same quantities. Right answers are computed by ``sizing``; known
mistakes are written as what they change, so that a wrong number can be traced back to its cause.
In a lab::

    check("trimming", 16)                # 16 is right.
    ask("trimming", instance=3)          # the same question with other numbers
    hint("trimming", 1)                  # the first hint
    check("trimming", my_function)       # tried on every instance
"""

import inspect
import math
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from types import SimpleNamespace

from answers import (
    SENTENCES,
    Choice,
    Number,
    UnreadableAnswer,
    Verdict,
    diagnose,
    instead,
    plus,
    read_number,
    shown,
    times,
)
from gpt_config import PRESETS, GPTConfig
from sizing import count_parameters, decay_split, padded_vocab_size

INSTANCES = 31  # the one of the text, and 30 others


@dataclass(frozen=True)
class Place:
    """A paragraph of the book: page, number of the section, heading."""

    page: str
    section: str
    heading: str

    def __str__(self) -> str:
        return f"{self.section}, “{self.heading}”"


PLACES = {
    "padding": Place("config", "4.1", "From a configuration to matrices"),
    "tying": Place("config", "4.1", "From a configuration to matrices"),
    "block": Place("counting", "4.2", "Count it yourself"),
    "whole": Place("counting", "4.2", "Count it yourself"),
    "conventions": Place("counting", "4.2", "Count it yourself"),
    "heads": Place("counting", "4.2", "Count it yourself"),
    "trimming": Place("counting", "4.2", "Count it yourself"),
}


@dataclass(frozen=True)
class Exercise:
    """Questions about the same quantities.

    Attributes:
        id: name; also that of the first question.
        title: short, as in the overview.
        section: section of the book that it practises.
        level: 1 to 3, steps of difficulty.
        canonical: the quantities of the text.
        draw: (random generator) -> other quantities.
        questions: asked one after the other.
    """

    id: str
    title: str
    section: str
    level: int
    canonical: dict
    draw: Callable
    questions: tuple


def _config(q, **changes) -> GPTConfig:
    """The configuration of an instance; whatever it does not fix is as in the small test."""
    fields = {"V": "vocab_size", "T": "block_size", "L": "n_layer", "H": "n_head", "C": "n_embd", "bias": "bias"}
    given = {name: getattr(q, symbol) for symbol, name in fields.items() if hasattr(q, symbol)}
    return replace(PRESETS["small test"], **{"n_head": 1} | given | changes)


def _toy(rng: random.Random) -> dict:
    """A small model, all sizes different."""
    H = rng.choice((2, 3, 4))
    return {
        "V": rng.randrange(11, 60),
        "T": rng.randrange(6, 33),
        "L": rng.randrange(2, 7),
        "H": H,
        "C": H * rng.choice((4, 5, 6, 8, 10)),
    }


# ---- Trimming and head count: the two of the text ---------------------------------------------------


def _draw_trimming(rng):
    toy = _toy(rng)
    return toy | {"n": rng.randrange(2, toy["T"] - 1)}


TRIMMING = Exercise(
    id="trimming",
    title="Trimming the position table",
    section="4.2",
    level=1,
    canonical={"V": 7, "T": 6, "L": 2, "H": 2, "C": 8, "n": 4},
    draw=_draw_trimming,
    questions=(
        Number(
            id="trimming",
            ask="The model has V = {V}, T = {T}, L = {L}, H = {H}, C = {C} and biases. "
            "T is trimmed from {T} to {n}. How many parameters fewer does it have?",
            answer=lambda q: count_parameters(_config(q)) - count_parameters(_config(q, block_size=q.n)),
            slips=(
                instead("You counted the rows that stay; the question is about those that go.", "trimming", lambda q: q.n * q.C),
                instead("That is the whole position table; its first rows stay.", "trimming", lambda q: q.T * q.C),
                instead("That is the number of rows; each row holds C numbers.", "trimming", lambda q: q.T - q.n),
                plus("One row too many: rows n to T − 1 go, which are T − n.", "trimming", lambda q: q.C),
                plus("One row too few: rows n to T − 1 go, which are T − n.", "trimming", lambda q: -q.C),
                times("You counted once per layer; the model has one position table.", "trimming", lambda q: q.L),
                times("You counted once per head; heads have no table of their own.", "heads", lambda q: q.H),
                times("The question asks how many fewer, so the number is positive.", "trimming", lambda q: -1),
                instead("Those are entries of the causal mask, which is no parameter.", "trimming", lambda q: q.T**2 - q.n**2),
                instead(
                    "get_num_params() leaves the position table out and does not change; parameters() does.",
                    "conventions",
                    lambda q: 0,
                ),
                instead(
                    "That is what the trimmed model has; the question is about the difference.",
                    "trimming",
                    lambda q: count_parameters(_config(q, block_size=q.n)),
                ),
            ),
            hints=(
                "Which tensors have T in their shape?",
                "Only the position table wpe, of shape (T, C). Which of its rows go?",
                "T − n rows go, and each holds C numbers.",
            ),
            next_step="Write down the shape of wpe before and after, and subtract.",
        ),
    ),
)


def _draw_heads(rng):
    d = rng.choice((2, 3, 4, 5, 6, 8)) * 2
    H = rng.choice((1, 2, 3, 4, 6))
    return {"V": rng.randrange(11, 60), "T": rng.randrange(6, 33), "L": rng.randrange(2, 7), "H": H, "C": H * d, "H2": 2 * H}


HEAD_COUNT = Exercise(
    id="head_count",
    title="More heads, same width",
    section="4.2",
    level=1,
    canonical={"V": 7, "T": 6, "L": 2, "H": 2, "C": 8, "H2": 4},
    draw=_draw_heads,
    questions=(
        Number(
            id="head_count",
            ask="The model has V = {V}, T = {T}, L = {L}, C = {C} and biases. H goes from {H} to {H2}. "
            "By how many parameters does the count change?",
            answer=lambda q: count_parameters(_config(q, n_head=q.H2)) - count_parameters(_config(q)),
            slips=(
                instead("You gave each head a (C, C) matrix for q, k and v; the heads share one (3C, C) matrix.", "heads", lambda q: 3 * q.C**2 * (q.H2 - q.H) * q.L),
                instead("You multiplied one layer's attention by the heads; they share its C columns.", "heads", lambda q: 3 * q.C**2 * (q.H2 - q.H)),
                instead("You multiplied the attention's 4C² by the heads; they share its C columns.", "heads", lambda q: 4 * q.C**2 * (q.H2 - q.H) * q.L),
                instead("You divided the q, k, v matrix by the heads; each head gets C/H of its columns, and together they have all.", "heads", lambda q: -Fraction(3 * q.C**2 * (q.H2 - q.H), q.H * q.H2) * q.L),
                instead("That is the change in the number of heads, not of parameters.", "heads", lambda q: q.H2 - q.H),
                instead("That is the whole count; the question is about its change.", "heads", lambda q: count_parameters(_config(q))),
            ),
            hints=(
                "In which tensors' shapes does H occur?",
                "c_attn has shape (3C, C) and c_proj (C, C), for any number of heads.",
                "H only says how the C columns are cut.",
            ),
            next_step="Write down the shape of each attention matrix for both head counts, and compare.",
        ),
        Number(
            id="head_width",
            ask="How wide is one head afterwards? (d at H = {H2}, C = {C})",
            answer=lambda q: _config(q, n_head=q.H2).head_width,
            slips=(
                instead("That is d before the change.", "heads", lambda q: q.C // q.H),
                instead("More heads are narrower, not wider: d = C/H.", "heads", lambda q: 2 * q.C // q.H),
                instead("That is C, the width of all heads together.", "heads", lambda q: q.C),
                instead("That is the number of heads.", "heads", lambda q: q.H2),
                instead("That counts q, k and v together; each of them is C/H wide.", "heads", lambda q: Fraction(3 * q.C, q.H2)),
                instead("You multiplied by the heads; the heads divide C among them.", "heads", lambda q: q.C * q.H2),
            ),
            hints=("The heads share the C columns equally.", "d = C/H."),
            next_step="Divide the width of the stream by the new number of heads.",
        ),
    ),
)


EXERCISES = (TRIMMING, HEAD_COUNT)


# ---- Instances -------------------------------------------------------------------------------------


@cache
def instances(exercise_id: str) -> tuple[SimpleNamespace, ...]:
    """The quantities of the text first, then 30 others; the same in every run.

    In the others every mistake gives a number of its own, so that a diagnosis is never in doubt.

    Raises:
        ValueError: there is no such exercise.
    """
    exercise = _named(exercise_id, {e.id: e for e in EXERCISES}, "exercise")
    rng = random.Random(exercise.id)
    drawn = [SimpleNamespace(**exercise.canonical)]
    for _ in range(100 * INSTANCES):
        q = SimpleNamespace(**exercise.draw(rng))
        if q not in drawn and all(_distinct(question, q) for question in exercise.questions):
            drawn.append(q)
        if len(drawn) == INSTANCES:
            return tuple(drawn)
    raise ValueError(f"exercise {exercise_id!r}: only {len(drawn)} instances tell its mistakes apart")


def _distinct(question, q: SimpleNamespace) -> bool:
    """Whether each single mistake gives a wrong number, and no other single mistake the same."""
    if not isinstance(question, Number):
        return True
    wrong = [value for indices, value in question.mistakes(q) if len(indices) == 1]
    if None in wrong:
        return False
    cells = sorted(question.cell(value) for value in wrong)
    apart = 0 if question.unit is None else 2
    return all(b - a > apart for a, b in zip(cells, cells[1:], strict=False))


# ---- In a lab --------------------------------------------------------------------------------------


def check(question_id: str, answer, instance: int = 0) -> Verdict:
    """The verdict on an answer, as the page gives it.

    Args:
        question_id: as it stands in the exercise.
        answer: a number or what would be typed in the page; ``...`` for not yet; or a function whose parameters are
            quantities of the question, which is then tried on every instance.
        instance: which numbers: 0 for those of the text.

    Raises:
        ValueError: there is no such question or instance.
    """
    exercise, question = _question(question_id)
    q = _instance(exercise, instance)
    if answer is ...:
        return Verdict(False, SENTENCES["blank"])
    if callable(answer):
        return _check_function(exercise, question, answer)
    got = shown(answer if isinstance(answer, str) else repr(answer))
    if isinstance(question, Choice):
        return _check_choice(question, q, got)
    return _check_number(question, q, got)


def _check_number(question: Number, q: SimpleNamespace, got: str) -> Verdict:
    try:
        value, shortened = read_number(got)
    except UnreadableAnswer as error:
        return Verdict(False, str(error))
    return _pointing(*diagnose(question, q, value, got, shortened))


def _check_choice(question: Choice, q: SimpleNamespace, got: str) -> Verdict:
    letters = "abcdefghijkl"[: len(question.options(q))]
    if len(got) != 1 or got.lower() not in letters:
        return Verdict(False, SENTENCES["unlisted"].format(got=got, choices=", ".join(letters)))
    index = letters.index(got.lower())
    if index == question.answer(q):
        return Verdict(True, SENTENCES["right"].format(got=got))
    return _pointing(Verdict(False, SENTENCES["slip"].format(got=got, cause=question.reasons(q)[index])), [question.place])


def _pointing(verdict: Verdict, places: list[str]) -> Verdict:
    """The verdict with the paragraphs to read again."""
    see = SENTENCES["see"].format(places=" and ".join(str(PLACES[place]) for place in places))
    return replace(verdict, text=f"{verdict.text} {see}") if places else verdict


def _check_function(exercise: Exercise, question: Number, function: Callable) -> Verdict:
    """Call it with the quantities that it names, for every instance; stop at the first that goes wrong."""
    known = list(exercise.canonical)
    wanted = list(inspect.signature(function).parameters)
    if not set(wanted) <= set(known):
        raise ValueError(f"the function takes {', '.join(wanted)}; the quantities of this question are {', '.join(known)}")
    for number, q in enumerate(instances(exercise.id)):
        arguments = {name: getattr(q, name) for name in wanted}
        value = function(**arguments)
        verdict = check(question.id, value, number) if not callable(value) else Verdict(False, SENTENCES["blank"])
        if not verdict.right:
            where = ", ".join(f"{name} = {given}" for name, given in arguments.items())
            return verdict if value is ... else Verdict(False, f"For {where}: {verdict.text}")
    return Verdict(True, f"Right on all {INSTANCES} configurations.")


class Text(str):
    """Text that a notebook shows without quotation marks."""

    __slots__ = ()
    __repr__ = str.__str__


def ask(question_id: str, instance: int = 0) -> Text:
    """The question with the numbers of an instance."""
    exercise, question = _question(question_id)
    return Text(asked(question, _instance(exercise, instance)))


def hint(question_id: str, number: int = 1) -> Text:
    """The hint with this number, from 1.

    Raises:
        ValueError: there is no such question or hint.
    """
    _, question = _question(question_id)
    if number not in range(1, len(question.hints) + 1):
        raise ValueError(f"hint={number!r} is not valid; {question_id!r} has hints 1 to {len(question.hints)}")
    return Text(question.hints[number - 1])


def asked(question, q: SimpleNamespace) -> str:
    """The text of the question for these quantities."""
    numbers = {name: f"{value:,}" if type(value) is int else value for name, value in vars(q).items()}
    return question.ask.format(**numbers)


def _question(question_id: str):
    pairs = {question.id: (exercise, question) for exercise in EXERCISES for question in exercise.questions}
    return _named(question_id, pairs, "question")


def _instance(exercise: Exercise, number: int) -> SimpleNamespace:
    if type(number) is not int or number not in range(INSTANCES):
        raise ValueError(f"instance={number!r} is not valid; use 0 to {INSTANCES - 1}")
    return instances(exercise.id)[number]


def _named(name: str, known: dict, kind: str):
    if name not in known:
        raise ValueError(f"{kind}={name!r} is not known; use one of {', '.join(known)}")
    return known[name]

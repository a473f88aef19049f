"""Answers to exercises: reading them as people type them, and finding the mistake behind a wrong one.

The page (``widgets/exercise.mjs``) does the same in the reader's browser with the pattern and the sentences of this
module; it is handed hashes instead of the answers.
"""

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from types import SimpleNamespace

# Groups of three digits may be separated by commas, by spaces or by underscores, but not by a mixture.
NUMBER_PATTERN = (
    "([+-]?) ?"
    "([0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,3}(?: [0-9]{3})+|[0-9]{1,3}(?:_[0-9]{3})+|[0-9]+)"
    "(?:[.]([0-9]+))?"
    "(?:e([+-]?[0-9]{1,2}))?"
    " ?([kmb]?)"
)
POWERS = {"": 0, "k": 3, "m": 6, "b": 9}
LONGEST_ANSWER = 40

SENTENCES = {
    "blank": "Not filled in yet: put your answer in place of the dots.",
    "empty": "Nothing to check yet: type an answer first.",
    "unread": "“{got}” could not be read as a number. "
    "Write it like 1864, 1,864, 1 864, 1.864k or 0.124B, with a point for decimals.",
    "unlisted": "“{got}” is not one of the choices: {choices}.",
    "right": "{got} is right.",
    "slip": "{got} is not it. {cause}",
    "pair": "{got} is not it. Two mistakes together lead there. First: {cause} Second: {second}",
    "several": "{got} is not it, and more than one mistake leads there. {causes}",
    "either": "Perhaps: {cause}",
    "both": "Perhaps two at once. First: {cause} Second: {second}",
    "see": "See {places}.",
    "size": "“{got}” is not a size: C and H are whole numbers of at least 1.",
    "width": "C = {C} is not a multiple of {step}.",
    "heads": "H = {H} does not divide C = {C}; the heads share the width in equal parts.",
    "over": "C = {C} gives {count} parameters, which is {over} over the budget.",
    "narrow": "C = {C} fits with {count} parameters, but C = {wider} fits as well, with {wider_count}.",
    "widest": "C = {C} with H = {H} is right: {count} parameters; C = {wider} would have {wider_count}.",
    "fraction": "{got} is not a whole number, and the answer is one. "
    "A point stands before decimals; thousands take a comma or a space.",
    "rounded": "{got} is not it. If you rounded it, give every digit. If not: {next_step}",
    "unknown": "{got} is not it, and none of the known mistakes leads there. Next step: {next_step}",
}


class UnreadableAnswer(ValueError):
    """What was typed is no number; the message says what was not understood."""


def read_number(text: str) -> tuple[Fraction, bool]:
    """The exact value of a number as people type it, and whether it was shortened with k, M, B or an exponent.

    Raises:
        UnreadableAnswer: the text is empty, too long, or no number.
    """
    plain = re.sub("[\u2212\u2013]", "-", re.sub("[\\s\u00a0\u2009\u202f]+", " ", text)).strip()
    if not plain:
        raise UnreadableAnswer(SENTENCES["empty"])
    match = re.fullmatch(NUMBER_PATTERN, plain, re.IGNORECASE) if len(plain) <= LONGEST_ANSWER else None
    if match is None:
        raise UnreadableAnswer(SENTENCES["unread"].format(got=shown(text)))
    sign, whole, decimals, exponent, suffix = match.groups(default="")
    digits = int(re.sub("[,_ ]", "", whole) + decimals)
    power = int(exponent or 0) + POWERS[suffix.lower()] - len(decimals)
    value = Fraction(digits) * Fraction(10) ** power
    return (-value if sign == "-" else value), bool(exponent or suffix)


def shown(text: str) -> str:
    """What was typed, trimmed for being repeated in a sentence."""
    text = text.strip()
    return text if len(text) <= LONGEST_ANSWER else text[:LONGEST_ANSWER] + "…"


@dataclass(frozen=True)
class Verdict:
    """Right or not, and the sentence that says so; a notebook shows the sentence."""

    right: bool
    text: str

    def __repr__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Slip:
    """A mistake that people make.

    Attributes:
        cause: what was done and what is so, in one or two short sentences.
        place: key of ``exercises.PLACES``, the paragraph to read again.
        change: (right answer, quantities) -> the wrong answer that this mistake gives.
        combines: whether it can happen together with another one.
    """

    cause: str
    place: str
    change: Callable
    combines: bool


def plus(cause: str, place: str, difference: Callable) -> Slip:
    """A mistake that adds ``difference(quantities)`` to whatever else is done."""
    return Slip(cause, place, lambda right, q: right + difference(q), combines=True)


def times(cause: str, place: str, factor: Callable) -> Slip:
    """A mistake that multiplies by ``factor(quantities)``, after whatever else is done."""
    return Slip(cause, place, lambda right, q: right * factor(q), combines=True)


def instead(cause: str, place: str, value: Callable) -> Slip:
    """A mistake in which ``value(quantities)`` is computed instead of what was asked for."""
    return Slip(cause, place, lambda right, q: value(q), combines=False)


@dataclass(frozen=True)
class Number:
    """A question whose answer is a number.

    Attributes:
        id: the name under which it is checked.
        ask: the question, with the quantities in braces.
        answer: quantities -> the right answer, computed.
        slips: known mistakes; those that add stand before those that multiply.
        hints: climbing, from a question to almost the answer.
        next_step: said to a wrong number that no known mistake explains.
        unit: None for an exact whole number; otherwise an answer at most one unit away is right, and one more than
            two units away is not.
    """

    id: str
    ask: str
    answer: Callable
    slips: tuple[Slip, ...]
    hints: tuple[str, ...]
    next_step: str
    unit: Fraction | None = None

    def cell(self, value) -> Fraction | int:
        """What is compared: the number itself, or the number of the nearest multiple of the unit."""
        return Fraction(value) if self.unit is None else math.floor(Fraction(value) / self.unit + Fraction(1, 2))

    def agrees(self, value, right) -> bool:
        """Whether two values count as the same answer."""
        return abs(self.cell(value) - self.cell(right)) <= (0 if self.unit is None else 1)

    def mistakes(self, q: SimpleNamespace) -> Iterator[tuple[tuple[int, ...], Fraction]]:
        """Each slip alone, then each pair that combines: (indices of slips, wrong answer, or None if it is right)."""
        right = self.answer(q)
        singles = [((i,), s.change(right, q)) for i, s in enumerate(self.slips)]
        combining = [(i, s) for i, s in enumerate(self.slips) if s.combines]
        pairs = [((i, j), b.change(a.change(right, q), q)) for (i, a), (j, b) in combinations(combining, 2)]
        for indices, wrong in singles + pairs:
            yield indices, None if self.agrees(wrong, right) else wrong


@dataclass(frozen=True)
class Choice:
    """A question with options, of which one is right.

    Attributes:
        id: the name under which it is checked.
        ask: the question, with the quantities in braces.
        options: (text, why it is not so) in the order of the text; the right one has no reason.
        hints: climbing.
        place: key of ``exercises.PLACES``.
    """

    id: str
    ask: str
    options: tuple[tuple[str, str | None], ...]
    hints: tuple[str, ...]
    place: str

    @property
    def right(self) -> int:
        """Index of the right option."""
        return [reason for _, reason in self.options].index(None)


@dataclass(frozen=True)
class PickLine:
    """A question about code of which one line is wrong; the quantity ``bug`` says which of ``bugs.BUGS`` is shown."""

    id: str
    ask: str
    hints: tuple[str, ...]
    place: str


@dataclass(frozen=True)
class Design:
    """A question whose answer is a width C and a number of heads H: as wide as a budget of parameters allows.

    Every H that divides the width is right.
    """

    id: str
    ask: str
    step: int
    hints: tuple[str, ...]
    place: str

    def judge(self, q: SimpleNamespace, C: int, H: int, count: Callable[[int], int]) -> Verdict:
        """Which rule the design breaks, if any; ``count`` gives the parameters of a width."""
        if C % self.step:
            return Verdict(False, SENTENCES["width"].format(C=C, step=self.step))
        if C % H:
            return Verdict(False, SENTENCES["heads"].format(C=C, H=H))
        wider = C + self.step
        values = {"C": C, "H": H, "count": f"{count(C):,}", "wider": wider, "wider_count": f"{count(wider):,}"}
        if count(C) > q.budget:
            return Verdict(False, SENTENCES["over"].format(over=f"{count(C) - q.budget:,}", **values))
        if count(wider) <= q.budget:
            return Verdict(False, SENTENCES["narrow"].format(**values))
        return Verdict(True, SENTENCES["widest"].format(**values))


def diagnose(question: Number, right, mistakes: list, value: Fraction, got: str, shortened: bool):
    """The verdict on a number: right, or the mistakes that lead there, or a next step.

    Args:
        question: what was asked.
        right: the right answer.
        mistakes: what ``question.mistakes`` gives for the same quantities.
        value: the number given.
        got: how it was written.
        shortened: whether it was written with a suffix or an exponent.

    Returns:
        The verdict, and the places to read again.
    """
    if question.agrees(value, right):
        return Verdict(True, SENTENCES["right"].format(got=got)), []

    found = [indices for indices, wrong in mistakes if wrong is not None and question.agrees(value, wrong)]
    found = [indices for indices in found if len(indices) == 1] or found
    if found:
        causes = [[question.slips[i].cause for i in indices] for indices in found]
        places = dict.fromkeys(question.slips[i].place for indices in found for i in indices)
        return Verdict(False, _explanation(got, causes)), list(places)
    if question.unit is None and value.denominator > 1:
        return Verdict(False, SENTENCES["fraction"].format(got=got)), []
    name = "rounded" if shortened and question.unit is None else "unknown"
    return Verdict(False, SENTENCES[name].format(got=got, next_step=question.next_step)), []


def _explanation(got: str, found: list[list[str]]) -> str:
    """The sentence for one mistake, for two together, or for several that lead to the same number."""
    if len(found) == 1:
        name = "slip" if len(found[0]) == 1 else "pair"
        return SENTENCES[name].format(got=got, cause=found[0][0], second=found[0][-1])
    parts = [SENTENCES["either" if len(c) == 1 else "both"].format(cause=c[0], second=c[-1]) for c in found]
    return SENTENCES["several"].format(got=got, causes=" ".join(parts))

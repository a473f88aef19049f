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

# Groups of three digits may be separated by one kind of mark: commas, spaces, underscores or apostrophes.
NUMBER_PATTERN = (
    "([+-]?) ?"
    "([1-9][0-9]{0,2}(?:,[0-9]{3})+|[1-9][0-9]{0,2}(?: [0-9]{3})+|[1-9][0-9]{0,2}(?:_[0-9]{3})+"
    "|[1-9][0-9]{0,2}(?:['\u2019][0-9]{3})+|[0-9]+)"
    "(?:[.]([0-9]*))?"
    "(?:e([+-]?[0-9]{1,2}))?"
    "(?: ?(thousand|million|billion|[kmb])(?![a-z]))?"
    "(?: ?([a-z%\u00d7]+))?"
)
# Nothing but what formulas are made of; and an operator between numbers, letters or brackets, a bracket, or a power.
FORMULA_PATTERN = (
    "^(?=[0-9a-z_ .,()*/^+=\u00d7\u00b7\u22c5\u00f7\u221a\u00b2\u00b3-]*$).*"
    "(?:[0-9a-z)\u00b2\u00b3] ?(?:[*/^+=\u00d7\u00b7\u22c5\u00f7-]| x ) ?[0-9a-z(]"
    "|[0-9a-z][(][0-9a-z]"
    "|[0-9a-z)][\u00b2\u00b3])"
)
POWERS = {"": 0, "k": 3, "thousand": 3, "m": 6, "million": 6, "b": 9, "billion": 9}
BYTES = {"bytes": 1, "byte": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30}
LONGEST_ANSWER = 40
GRID = 100  # a tolerance is so many cells wide, to each side

SENTENCES = {
    "blank": "Not filled in yet: put your answer in place of the dots.",
    "empty": "Nothing to check yet: type an answer first.",
    "choose": "Nothing to check yet: choose an option first.",
    "missing": "Nothing to check yet: type a whole number for {name}.",
    "field": "{name}: {problem}",
    "unread": "“{got}” could not be read as a number. "
    "Write it like 1864, 1,864, 1 864, 1.864k or 0.124B, with a point for decimals.",
    "formula": "“{got}” is a formula, and a formula is not evaluated here: work it out first, and give the number.",
    "comma": "“{got}” could not be read as a number: "
    "a comma stands between groups of three digits, and a point before decimals, as in 3.14 or 1,864.",
    "word": "“{got}” ends in a word that is not expected here: give the number alone.",
    "unlisted": "“{got}” is not one of the choices: {choices}.",
    "right": "{got} is right.",
    "right line": "{got} is right. {cause}",
    "slip": "{got} is not it. {cause}",
    "pair": "{got} is not it. Two mistakes together lead there:",
    "several": "{got} is not it, and more than one mistake leads there:",
    "both": "Two at once. {cause}",
    "see": "See {place}.",
    "size": "“{got}” is not a size: C and H are whole numbers of at least 1.",
    "width": "C = {C} is not a multiple of {step}.",
    "heads": "H = {H} does not divide C = {C}; the heads share the width in equal parts.",
    "over": "C = {C} gives {count} parameters, which is {over} over the budget.",
    "narrow": "C = {C} fits with {count} parameters, but C = {wider} fits as well, with {wider_count}.",
    "widest": "C = {C} with H = {H} is right: {count} parameters; C = {wider} would have {wider_count}.",
    "fraction": "{got} is not a whole number, and the answer is one. "
    "A point stands before decimals; thousands take a comma or a space.",
    "rounded": "{got} is not it. If you rounded it, give every digit. If not: {next_step}",
    "millions": "{got} is right in millions: put an M behind it, or write every digit.",
    "thousands": "{got} was read with a comma between thousands. A point stands before decimals.",
    "coarse": "{got} is not near enough. If you rounded it, give a digit more. If not: {next_step}",
    "unknown": "{got} is not it, and none of the known mistakes leads there. Next step: {next_step}",
}


class UnreadableAnswer(ValueError):
    """What was typed is no number; the message says what was not understood."""


def read_number(text: str, units: tuple[str, ...] = ()) -> tuple[Fraction, bool]:
    """The exact value of a number as people type it, and whether it was shortened with a suffix, unit or exponent.

    Args:
        text: what was typed, also with full-width digits.
        units: words that may follow the number, such as "parameters"; if they are ``BYTES``, B is a byte.

    Raises:
        UnreadableAnswer: the text is empty, too long, or no number, or another word follows it.
    """
    folded = re.sub("[\uff01-\uff5e]", lambda wide: chr(ord(wide[0]) - 0xFEE0), text)
    plain = re.sub("[\u2212\u2013]", "-", re.sub("[\\s\u00a0\u2009\u202f]+", " ", folded)).strip()
    if not plain:
        raise UnreadableAnswer(SENTENCES["empty"])
    match = re.fullmatch(NUMBER_PATTERN, plain, re.IGNORECASE | re.ASCII) if len(plain) <= LONGEST_ANSWER else None
    if match is None:
        formula = re.search(FORMULA_PATTERN, plain, re.IGNORECASE | re.ASCII)
        name = "formula" if formula else "comma" if re.search("[0-9],[0-9]", plain) else "unread"
        raise UnreadableAnswer(SENTENCES[name].format(got=shown(text)))
    sign, whole, decimals, exponent, suffix, word = match.groups(default="")
    if suffix.lower() in units and not word:
        suffix, word = "", suffix
    if word and word.lower() not in units:
        raise UnreadableAnswer(SENTENCES["word"].format(got=shown(text)))
    digits = int(re.sub("[^0-9]", "", whole) + decimals)
    power = int(exponent or 0) + POWERS[suffix.lower()] - len(decimals)
    factor = BYTES.get(word.lower(), 1)
    value = Fraction(digits) * Fraction(10) ** power * factor
    return (-value if sign == "-" else value), bool(exponent or suffix or factor > 1)


def leading_digits(value: Fraction) -> str:
    """The first two digits of a number, or its only one, and their place: 33e-1 for 3.365, 3e0 for 3."""
    if value <= 0:
        return ""
    scaled, place = _between_10_and_100(value)
    return f"{int(scaled)}e{place}" if scaled % 10 else f"{int(scaled) // 10}e{place + 1}"


def roundings(right) -> list[str]:
    """The leading digits that the right answer has when it is rounded: the first two, off by one at most, or one."""
    if right <= 0:
        return []
    scaled, place = _between_10_and_100(Fraction(right))
    two = [f"{n}e{place}" for n in range(int(scaled) - 1, int(scaled) + 2) if 10 <= n < 100]
    return [*two, leading_digits(Fraction(round(scaled / 10)) * Fraction(10) ** (place + 1))]


def _between_10_and_100(value: Fraction) -> tuple[Fraction, int]:
    """The number without a power of ten, and that power."""
    place = 0
    while value >= 100:
        value, place = value / 10, place + 1
    while value < 10:
        value, place = value * 10, place - 1
    return value, place


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
        tolerance: None for an exact whole number; otherwise how far a right answer may be away. Both are compared
            after rounding to a hundredth of it, so that the page can compare hashes.
        units: words that may be typed behind the number.
    """

    id: str
    ask: str
    answer: Callable
    slips: tuple[Slip, ...]
    hints: tuple[str, ...]
    next_step: str
    tolerance: Fraction | None = None
    units: tuple[str, ...] = ("parameters", "parameter", "params")

    def cell(self, value) -> Fraction | int:
        """What is compared: the number itself, or the number of the nearest hundredth of the tolerance."""
        if self.tolerance is None:
            return Fraction(value)
        return math.floor(Fraction(value) * GRID / self.tolerance + Fraction(1, 2))

    def agrees(self, value, right) -> bool:
        """Whether two values count as the same answer."""
        return abs(self.cell(value) - self.cell(right)) <= (0 if self.tolerance is None else GRID)

    def mistakes(self, q: SimpleNamespace) -> Iterator[tuple[tuple[int, ...], Fraction]]:
        """Each slip alone, then each pair that combines: (indices of slips, wrong answer, or None if it is right)."""
        right = self.answer(q)
        singles = [((i,), s.change(right, q)) for i, s in enumerate(self.slips)]
        combining = [(i, s) for i, s in enumerate(self.slips) if s.combines]
        pairs = [((i, j), b.change(a.change(right, q), q)) for (i, a), (j, b) in combinations(combining, 2)]
        for indices, wrong in singles + pairs:
            yield indices, None if self.agrees(wrong, right) else wrong


@dataclass(frozen=True)
class Option:
    """One option of a choice.

    Attributes:
        text: what is claimed.
        reason: why it is not so; the right one has none.
        place: key of ``exercises.PLACES``, the paragraph that says so.
    """

    text: str
    reason: str | None = None
    place: str | None = None


@dataclass(frozen=True)
class Choice:
    """A question with options, of which one is right.

    Attributes:
        id: the name under which it is checked.
        ask: the question, with the quantities in braces.
        options: in the order of the text.
        hints: climbing.
    """

    id: str
    ask: str
    options: tuple[Option, ...]
    hints: tuple[str, ...]

    @property
    def right(self) -> int:
        """Index of the right option."""
        return [option.reason for option in self.options].index(None)


@dataclass(frozen=True)
class PickLine:
    """A question about code of which one line is wrong; the quantity ``bug`` says which of ``bugs.BUGS`` is shown."""

    id: str
    ask: str
    hints: tuple[str, ...]


# What is found out about an answer: whether it is right, and lines of (sentence, key of a place or None).
Line = list[tuple[str, str | None]]
Finding = tuple[bool, list[Line]]


@dataclass(frozen=True)
class Design:
    """A question whose answer is a width C and a number of heads H: as wide as a budget of parameters allows.

    Every H that divides the width is right. ``places`` has the paragraph for each rule that a design can break.
    """

    id: str
    ask: str
    step: int
    hints: tuple[str, ...]
    places: dict[str, str]

    def judge(self, q: SimpleNamespace, C: int, H: int, count: Callable[[int], int]) -> Finding:
        """Which rule the design breaks, if any; ``count`` gives the parameters of a width."""
        wider = C + self.step
        if C % self.step:
            name = "width"
        elif C % H:
            name = "heads"
        elif count(C) > q.budget:
            name = "over"
        else:
            name = "narrow" if count(wider) <= q.budget else "widest"
        numbers = {"C": C, "H": H, "step": self.step, "wider": wider}
        numbers |= {"count": count(C), "over": count(C) - q.budget, "wider_count": count(wider)}
        text = SENTENCES[name].format(**{key: f"{number:,}" for key, number in numbers.items()})
        return name == "widest", [[(text, self.places.get(name))]]


def diagnose(question: Number, right, mistakes: list, value: Fraction, got: str, shortened: bool) -> Finding:
    """What is to be said to a number: that it is right, the mistakes that lead there, or a next step.

    Args:
        question: what was asked.
        right: the right answer.
        mistakes: what ``question.mistakes`` gives for the same quantities.
        value: the number given.
        got: how it was written.
        shortened: whether it was written with a suffix or an exponent.
    """
    if question.agrees(value, right):
        return True, [[(SENTENCES["right"].format(got=got), None)]]

    found = [indices for indices, wrong in mistakes if wrong is not None and question.agrees(value, wrong)]
    found = [indices for indices in found if len(indices) == 1] or found
    if found:
        return False, _explanation(got, [[question.slips[i] for i in indices] for indices in found])
    rounded = leading_digits(value) in roundings(right)
    if question.tolerance is None:
        name = "rounded" if shortened and rounded else "fraction" if value.denominator > 1 else "unknown"
    elif question.tolerance > 1 and question.agrees(value * 10**6, right):
        name = "millions"
    else:
        decimals = question.tolerance < 1 or shortened
        name = "thousands" if decimals and got.count(",") == 1 else "coarse" if rounded else "unknown"
    return False, [[(SENTENCES[name].format(got=got, next_step=question.next_step), None)]]


def _explanation(got: str, found: list[list[Slip]]) -> list[Line]:
    """One mistake in one line; two together, or several that lead to the same number, each in a line of its own."""
    if len(found) == 1 and len(found[0]) == 1:
        (slip,) = found[0]
        return [[(SENTENCES["slip"].format(got=got, cause=slip.cause), slip.place)]]
    if len(found) == 1:
        return [[(SENTENCES["pair"].format(got=got), None)], *([(slip.cause, slip.place)] for slip in found[0])]
    lines = [[(slip.cause, slip.place) for slip in slips] for slips in found]
    for line in lines:
        if len(line) == 2:
            cause, place = line[0]
            line[0] = (SENTENCES["both"].format(cause=cause), place)
    return [[(SENTENCES["several"].format(got=got), None)], *lines]

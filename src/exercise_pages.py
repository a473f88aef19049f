"""What an exercise is handed in a page, where no kernel runs: numbers, words and hashed answers.

The widget ``widgets/exercise.mjs`` reads what is typed by the pattern of ``answers``, hashes it as :func:`key` does,
and compares. So it finds the right answer and every known mistake without holding a single one of them. This keeps the
answers from being read by accident; a reader who wants to be told opens the solution.
"""

from fractions import Fraction
from html import escape
from itertools import combinations

from answers import (
    BYTES,
    FORMULA_PATTERN,
    GRID,
    LONGEST_ANSWER,
    NUMBER_PATTERN,
    POWERS,
    SENTENCES,
    Choice,
    Number,
    PickLine,
    roundings,
)
from bugs import BUGS
from exercises import EXERCISES, PLACES, asked, grouped, instances, order_of_options
from sizing import polynomial

KEY_CHARACTERS = 6  # 36 bits: one wrong number of 69 billion meets a given key by chance
NO_KEY = "-" * KEY_CHARACTERS  # for a mistake that is none with these numbers
_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_."
_MASK = 2**64 - 1


def key(question_id: str, instance: int, answer: str) -> str:
    """Six characters from the FNV-1a hash of an answer, mixed by MurmurHash3's finalizer.

    The name of the question and the number of the instance are hashed as well, so equal answers have unequal keys.
    """
    h = 0xCBF29CE484222325
    for byte in f"{question_id}/{instance}/{answer}".encode():
        h = (h ^ byte) * 0x100000001B3 & _MASK
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        h = (h ^ h >> 33) * factor & _MASK
    h ^= h >> 33
    return "".join(_ALPHABET[h >> 6 * i & 63] for i in range(KEY_CHARACTERS))


def sealed(text: str, question_id: str, instance: int, answer: str) -> str:
    """A text that is read only with the answer: each character is combined with one of a key, by exclusive or."""
    keys = (key(question_id, instance, f"{answer}/{i}") for i in range(-(-len(text) // KEY_CHARACTERS)))
    return "".join(chr(ord(a) ^ ord(b)) for a, b in zip(text, "".join(keys), strict=False))


def written(cell) -> str:
    """A number as it is hashed: in lowest terms."""
    cell = Fraction(cell)
    return f"{cell.numerator}/{cell.denominator}"


def exercise(exercise: str) -> dict:
    """The state of one exercise, by its id.

    Raises:
        ValueError: there is no such exercise.
    """
    if not isinstance(exercise, str):
        raise ValueError(f"exercise={exercise!r} is not valid; use the id of an exercise")
    given = instances(exercise)
    found = next(e for e in EXERCISES if e.id == exercise)
    names = [name for name in found.given[0] if name != "bug"]
    rows = [[grouped(getattr(q, name)) for name in names] for q in given]
    questions = [_question(question, given) for question in found.questions]
    places = {place for question in found.questions for place in _places(question, given)}
    return {
        "exercise": found.id,
        "instance": 0,
        "typed": {},
        "hints": {},
        "data": {
            "title": found.title,
            "names": names,
            "rows": rows,
            "questions": questions,
            "places": {place: [str(PLACES[place]), PLACES[place].address] for place in sorted(places)},
            "sentences": SENTENCES,
            "pattern": NUMBER_PATTERN,
            "formula": FORMULA_PATTERN,
            "bytes": BYTES,
            "powers": POWERS,
            "longest": LONGEST_ANSWER,
            "grid": GRID,
        },
    }


def progress() -> dict:
    """The state of the overview: every exercise with its questions, in order."""
    listed = [
        {"id": e.id, "title": e.title, "level": e.level, "section": e.section, "questions": [q.id for q in e.questions]}
        for e in EXERCISES
    ]
    return {"data": {"exercises": listed}}


def _places(question, given: tuple) -> set[str]:
    """Where the verdicts on a question send to."""
    if isinstance(question, Number):
        return {slip.place for slip in question.slips}
    if isinstance(question, Choice):
        return {option.place for option in question.options if option.place}
    if isinstance(question, PickLine):
        return {place for q in given for place in BUGS[q.bug].snippet.places}
    return set(question.places.values())


def _question(question, given: tuple) -> dict:
    """One question: what is asked, what is hinted, and a string of keys for each instance."""
    common = {"id": question.id, "ask": question.ask, "hints": list(question.hints)}
    if isinstance(question, Number):
        keys, rounded = [], []
        for number, q in enumerate(given):
            values = [question.answer(q), *(wrong for _, wrong in question.mistakes(q))]
            texts = [None if value is None else written(question.cell(value)) for value in values]
            keys.append("".join(NO_KEY if text is None else key(question.id, number, text) for text in texts))
            rounded.append("".join(key(question.id, number, f"about {text}") for text in roundings(values[0])))
        return common | {
            "kind": "number",
            "tolerance": question.tolerance and [str(n) for n in question.tolerance.as_integer_ratio()],
            "units": list(question.units),
            "next_step": question.next_step,
            "slips": [[slip.cause, slip.place] for slip in question.slips],
            "pairs": list(combinations([i for i, slip in enumerate(question.slips) if slip.combines], 2)),
            "keys": keys,
            "rounded": rounded,
        }
    if isinstance(question, Choice):
        orders = [order_of_options(question, number) for number in range(len(given))]
        return common | {
            "kind": "choice",
            "options": [option.text for option in question.options],
            # Under a hash, because the option without a reason is the right one.
            "reasons": {
                key(question.id, -1, str(i)): [option.reason, option.place]
                for i, option in enumerate(question.options)
                if option.reason
            },
            "orders": orders,
            "keys": [key(question.id, n, "abcdef"[order.index(question.right)]) for n, order in enumerate(orders)],
        }
    if isinstance(question, PickLine):
        bugs = [BUGS[q.bug] for q in given]
        snippets = list({bug.snippet.title: bug.snippet for bug in bugs}.values())
        return common | {
            "kind": "line",
            "snippets": [{"title": s.title, "reasons": list(zip(s.reasons, s.places, strict=True))} for s in snippets],
            "code": [[snippets.index(bug.snippet), list(bug.lines)] for bug in bugs],
            "keys": [key(question.id, number, str(bug.line)) for number, bug in enumerate(bugs)],
            "sealed": [sealed(bug.reason, question.id, number, str(bug.line)) for number, bug in enumerate(bugs)],
        }
    # A design is judged by counting it, so there is no key to keep.
    terms = [[coefficient, list(symbols)] for symbols, coefficient in polynomial(bias=True).items()]
    sizes = [[str(q.V), str(q.T), str(q.L), str(q.budget)] for q in given]
    return common | {
        "kind": "design",
        "places": question.places,
        "step": question.step,
        "terms": terms,
        "sizes": sizes,
    }


# ---- Without JavaScript, and on paper -------------------------------------------------------------


def exercise_twin(state: dict) -> str:
    """Every question with the numbers of the text, its hints, and the mistakes that are known."""
    found = next(e for e in EXERCISES if e.id == state["exercise"])
    given = instances(found.id)[: len(found.given)]
    return "\n".join(_question_twin(question, given) for question in found.questions)


def _question_twin(question, given: tuple) -> str:
    parts = [f"<p>{escape(asked(question, given[0]))}</p>"]
    if isinstance(question, Choice):
        options = "".join(f"<li>{escape(option.text)}</li>" for option in question.options)
        parts.append(f'<ol type="a">{options}</ol>')
    if isinstance(question, PickLine):
        for piece, q in enumerate(given, start=1):
            lines = "\n".join(f"{number}  {line}" for number, line in enumerate(BUGS[q.bug].lines, start=1))
            title = escape(BUGS[q.bug].snippet.title)
            parts.append(f'<p>Piece {piece}. {title}</p>\n<pre tabindex="0">{escape(lines)}</pre>')
    hints = "".join(f"<li>{escape(hint)}</li>" for hint in question.hints)
    parts.append(f"<details><summary>Hints</summary><ol>{hints}</ol></details>")
    if isinstance(question, Number):
        causes = "".join(f"<li>{escape(slip.cause)} {_see(slip.place)}</li>" for slip in question.slips)
        parts.append(f"<details><summary>Known mistakes</summary><ul>{causes}</ul></details>")
    return "\n".join(parts)


def _see(place: str) -> str:
    return f'See <a href="{PLACES[place].address}">{escape(str(PLACES[place]))}</a>.'


def progress_twin(state: dict) -> str:
    """The exercises with their sections, as links."""
    items = "".join(
        f'<li><a href="#exercise-{e["id"]}">{escape(e["title"])}</a> ({e["section"]}, step {e["level"]})</li>'
        for e in state["data"]["exercises"]
    )
    return f"<ol>{items}</ol>"

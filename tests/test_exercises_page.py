"""The exercises in the built page: the words of the lab, without a kernel, by keyboard, kept in this browser only."""

import random
import re
from fractions import Fraction

import pytest
from bs4 import BeautifulSoup

from answers import Choice, Design, Number, PickLine
from bugs import BUGS
from exercises import EXERCISES, INSTANCES, PLACES, asked, check, instances

PAGE = "chapters/exercises.html"
RANDOM_NUMBERS = 460  # for each question with a number, near its known answers: 10,000 in all
FORMS = ["", "  ", "abc", "1,86", "1.5", "<b>16</b>", "1 864", "1,864", "1.864k", "-16", "\u221216", "0.124B", "1e3"]
FORMS += ["16 rows", "9" * 41, "{got}", "1,86", "3,365", "418,7M", "3.37x", "10.98 nats", "1680 parameters"]
FORMS += ["418.7 million", "1'680", "418.7", "1.5 MB", "3 \u00d7", "0x10", "1864 columns", "12 kB", "3.14159265e0"]
FORMS += [
    "1864.",
    "１８６４",
    "１．５ｋ",
    "3145728 B",
    "3.145728 MB",
    "3 MiB",
    "3.1 MB",
    "0.3 KiB",
    "384 KiB",
    "2 b bytes",
    "1e3 B",
]
FORMS += [
    "12*768**2",
    "(6-4)*8",
    "7 x 8",
    "7 × 8",
    "8²",
    "V·C",
    "3",
    "3.4",
    "11",
    "10.99",
    "0.42B",
    "4e8",
    "50304k",
    "0",
    "-3.4",
]

# Types each list of texts into the fields of a question and sends it; gives back what is said.
SAY = """
([exercise, question, answers]) => {
  const box = document.querySelector(`#exercise-${exercise} ~ .bw-page .bw-exercise`);
  const form = box.querySelectorAll("form")[question];
  return answers.map((texts) => {
    const inputs = [...form.querySelectorAll("input")];
    if (inputs[0].type === "radio") inputs.forEach((input) => { input.checked = input.value === texts[0]; });
    else inputs.forEach((input, i) => { input.value = texts[i]; });
    form.requestSubmit();
    const said = form.querySelector("output").cloneNode(true);
    said.querySelectorAll("li").forEach((item) => item.prepend("\\n- "));
    return said.textContent;
  });
}
"""
ASKED = """
(exercise) => [...document.querySelectorAll(`#exercise-${exercise} ~ .bw-page .bw-exercise`)][0]
  .querySelectorAll(".bw-ask").values().map((ask) => ask.textContent).toArray()
"""


@pytest.fixture
def page(open_page, site):
    page = open_page(f"{site}/{PAGE}")
    page.wait_for_selector(".bw-running .bw-exercise")
    return page


def box_of(page, exercise_id: str):
    return page.locator(f"#exercise-{exercise_id} ~ .bw-page .bw-exercise").first


def typed_answers(question, q, instance: int, rng: random.Random) -> list[list[str]]:
    """What is tried on one question with one set of numbers."""
    if isinstance(question, Choice):
        return [[""], *([letter] for letter in "abcdef"[: len(question.options)])]
    if isinstance(question, PickLine):
        return [[""], *([str(number)] for number in range(1, len(BUGS[q.bug].lines) + 1))]
    if isinstance(question, Design):
        pairs = [(str(C), str(H)) for C in range(64, 1024, 64) for H in (1, 4)]
        odd = [("100", "4"), ("256", "7"), ("0", "1"), ("256", "x"), ("256", "4.5"), ("10000000", "4"), ("2,56", "4")]
        return [list(pair) for pair in [*pairs, *odd, ("", ""), ("", "4"), ("256", " ")]]
    values = [question.answer(q), *(wrong for _, wrong in question.mistakes(q) if wrong is not None)]
    unit = question.tolerance or 1
    near = [
        Fraction(rng.choice(values)) + (unit / 2 if question.tolerance else 1) * rng.randrange(-50, 51)
        for _ in range(RANDOM_NUMBERS // INSTANCES + 1)
    ]
    anywhere = [Fraction(rng.randrange(1, 10 ** rng.randrange(1, 12))) for _ in range(3)]
    texts = [as_typed(Fraction(value), rng) for value in [*values, *near, *anywhere]]
    return [[text] for text in [*texts, *(FORMS if instance < 2 else [])]]


def as_typed(value: Fraction, rng: random.Random) -> str:
    if value.denominator > 1:
        return f"{float(value):.4f}"
    plain = f"{int(value):,}"
    return rng.choice(
        (plain, plain.replace(",", ""), plain.replace(",", " "), f" {plain}", plain.replace("-", "\u2212"))
    )


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.id)
def test_the_page_says_what_the_lab_says(page, exercise):
    """With every set of numbers: the right answer, each mistake and pair, random numbers, and what is no number."""
    rng = random.Random(exercise.id)
    another = (
        box_of(page, exercise.id).get_by_role("button", name=re.compile("New numbers|Next piece")).element_handle()
    )
    for instance, q in enumerate(instances(exercise.id)):
        assert page.evaluate(ASKED, exercise.id) == [asked(question, q) for question in exercise.questions]
        for number, question in enumerate(exercise.questions):
            answers = typed_answers(question, q, instance, rng)
            said = page.evaluate(SAY, [exercise.id, number, answers])

            wanted = [check(question.id, tuple(a) if len(a) == 2 else a[0], instance).text for a in answers]
            assert said == wanted
        another.evaluate("button => button.click()")
    assert page.evaluate(ASKED, exercise.id) == [
        asked(question, instances(exercise.id)[0]) for question in exercise.questions
    ]


def test_enough_numbers_are_tried():
    numbers = [question for e in EXERCISES for question in e.questions if isinstance(question, Number)]

    assert len(numbers) * RANDOM_NUMBERS >= 10_000


@pytest.mark.parametrize("where", ["server", "file"])
def test_an_exercise_is_done_by_keyboard_alone_and_remembered(open_page, site, book, where):
    """Type, check, take a hint, draw new numbers; a reload keeps it, and the overview counts it until it is cleared."""
    page = open_page(f"{site}/{PAGE}" if where == "server" else (book / PAGE).as_uri())
    page.wait_for_selector(".bw-running .bw-exercise")
    overview = page.locator(".bw-progress output")
    box = box_of(page, "trimming")
    assert overview.inner_text() == f"0 of {len(EXERCISES)} solved"

    box.locator("input").focus()
    page.keyboard.type("24")
    page.keyboard.press("Enter")
    assert box.locator("output").inner_text() == check("trimming", "24").text
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert box.locator(".bw-hints li").all_inner_texts() == ["Which tensors have T in their shape?"]
    box.locator("input").focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("16")
    page.keyboard.press("Enter")
    assert box.locator("output").inner_text() == "16 is right."
    assert overview.inner_text() == f"1 of {len(EXERCISES)} solved"

    page.reload()
    page.wait_for_selector(".bw-running .bw-exercise")
    assert overview.inner_text() == f"1 of {len(EXERCISES)} solved"
    assert box.locator("input").input_value() == "16"
    assert box.locator(".bw-hints li").count() == 1

    page.get_by_role("button", name="Clear progress").focus()
    page.keyboard.press("Enter")
    assert page.get_by_text("Forget what is solved, typed and hinted").is_visible()
    assert page.evaluate("document.activeElement.textContent") == "Keep it"
    page.keyboard.press("Enter")
    assert overview.inner_text() == f"1 of {len(EXERCISES)} solved"
    assert page.evaluate("document.activeElement.textContent") == "Clear progress"


def test_clearing_forgets_all_that_is_kept(open_page, site):
    """What is solved, what is typed, hints, other numbers; in this page at once, and in the other pages of this tab."""
    page = open_page(f"{site}/chapters/counting.html")
    elsewhere = page.locator(".bw-exercise").first
    elsewhere.locator("input").first.fill("1920")
    page.goto(f"{site}/{PAGE}")
    page.wait_for_selector(".bw-running .bw-exercise")
    box = box_of(page, "head_count")
    box.get_by_role("button", name="New numbers").click()
    box.locator("input").first.fill("0")
    box.get_by_role("button", name="Check").first.click()
    box.get_by_role("button", name="Hint").first.click()
    page.get_by_role("button", name="Clear progress").click()
    page.get_by_role("button", name="Yes, clear all").click()

    assert page.locator(".bw-progress output").inner_text() == f"0 of {len(EXERCISES)} solved"
    assert page.get_by_text("All is cleared.").is_visible()
    assert page.evaluate("document.activeElement.textContent") == "Clear progress"
    for _ in range(2):
        assert box.locator(".bw-ask").all_inner_texts() == [
            asked(question, instances("head_count")[0])
            for question in next(e for e in EXERCISES if e.id == "head_count").questions
        ]
        assert box.locator("input").first.input_value() == ""
        assert box.locator("output").first.inner_text() == ""
        assert box.locator(".bw-hints li").count() == 0
        page.reload()
        page.wait_for_selector(".bw-running .bw-exercise")
    page.goto(f"{site}/chapters/counting.html")
    assert elsewhere.locator("input").first.input_value() == ""


def test_tabs_tell_each_other_what_is_solved_and_cleared(open_page, site):
    first = open_page(f"{site}/{PAGE}")
    second = first.context.new_page()
    second.goto(f"{site}/{PAGE}")
    for tab in (first, second):
        tab.wait_for_selector(".bw-running .bw-exercise")
    box_of(second, "no_bias").locator("input").fill("1")
    box_of(first, "trimming").locator("input").fill("16")
    box_of(first, "trimming").get_by_role("button", name="Check").click()
    second.get_by_text(f"1 of {len(EXERCISES)} solved").wait_for()
    first.get_by_role("button", name="Clear progress").click()
    first.get_by_role("button", name="Yes, clear all").click()
    second.get_by_text(f"0 of {len(EXERCISES)} solved").wait_for()

    assert box_of(second, "no_bias").locator("input").input_value() == ""
    second.reload()
    second.wait_for_selector(".bw-running .bw-exercise")
    assert second.locator(".bw-progress output").inner_text() == f"0 of {len(EXERCISES)} solved"


def test_a_tab_that_was_elsewhere_does_not_bring_back_what_was_cleared(open_page, site):
    first = open_page(f"{site}/{PAGE}")
    second = first.context.new_page()
    second.goto(f"{site}/{PAGE}")
    box_of(second, "trimming").locator("input").fill("16")
    box_of(second, "trimming").get_by_role("button", name="Check").click()
    second.goto(f"{site}/chapters/reference.html")
    first.get_by_role("button", name="Clear progress").click()
    first.get_by_role("button", name="Yes, clear all").click()
    second.goto(f"{site}/{PAGE}")
    box_of(second, "no_bias").locator("input").fill("1680")
    box_of(second, "no_bias").get_by_role("button", name="Check").click()

    for tab in (first, second):
        tab.get_by_text(f"1 of {len(EXERCISES)} solved").wait_for()


def test_what_the_browser_does_not_show_for_a_moment_is_not_lost(page):
    """Chromium at times gives a page from disk an older state of the lasting store than the last page wrote."""
    overview = page.locator(".bw-progress output")
    for count, (name, answer) in enumerate((("trimming", "16"), ("no_bias", "1680")), start=1):
        box_of(page, name).locator("input").fill(answer)
        box_of(page, name).get_by_role("button", name="Check").click()
        assert overview.inner_text() == f"{count} of {len(EXERCISES)} solved"
        page.evaluate("localStorage.clear()")
        page.reload()
        page.wait_for_selector(".bw-running .bw-exercise")
        assert overview.inner_text() == f"{count} of {len(EXERCISES)} solved"


def test_the_focus_is_never_lost(page):
    """A button that hides itself hands the focus on: to the hint it opened, or to its neighbour."""
    box = box_of(page, "trimming")
    for _ in range(3):
        box.get_by_role("button", name=re.compile("int")).focus()
        page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.textContent") == "T \u2212 n rows go, and each holds C numbers."

    box.get_by_role("button", name="New numbers").click()
    assert box.locator(".bw-hints li").count() == 0
    box.get_by_role("button", name="Numbers of the text").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.textContent") == "New numbers"


def test_code_keeps_its_indentation_on_a_phone(open_page, site):
    page = open_page(f"{site}/{PAGE}", viewport={"width": 390, "height": 800})
    page.wait_for_selector(".bw-running .bw-exercise")
    code = box_of(page, "spot_the_bug").get_by_role("region", name="Code")

    assert code.evaluate("box => box.scrollWidth > box.clientWidth && box.tabIndex === 0")
    assert code.locator("code").evaluate_all("lines => new Set(lines.map((line) => line.offsetHeight)).size") == 1
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_new_numbers_are_announced_and_the_way_back_is_there(page):
    box = box_of(page, "no_bias")
    box.get_by_role("button", name="New numbers").click()
    question = next(e for e in EXERCISES if e.id == "no_bias").questions[0]

    assert box.locator(".bw-hidden[aria-live=polite]").inner_text() == asked(question, instances("no_bias")[1])
    assert box.get_by_text(f"Numbers 2 of {INSTANCES}").is_visible()
    box.get_by_role("button", name="Numbers of the text").click()
    assert box.locator(".bw-ask").inner_text() == asked(question, instances("no_bias")[0])


def test_an_exercise_with_several_questions_is_solved_when_all_are(page):
    forms = box_of(page, "head_count").locator("form")
    item = page.locator(".bw-progress li", has_text="More heads, same width")
    for number, answer in enumerate(("0", "2")):
        forms.nth(number).locator("input").fill(answer)
        forms.nth(number).get_by_role("button", name="Check").click()
        assert item.locator("span").inner_text() == ("1 of 2", "solved")[number]


def test_what_is_typed_is_text_and_nothing_else(page):
    box = box_of(page, "trimming")
    box.locator("input").fill("<img src=x onerror=alert(1)>")
    box.get_by_role("button", name="Check").click()

    assert "“<img src=x onerror=alert(1)>” could not be read" in box.locator("output").inner_text()
    assert box.locator("img").count() == 0


def test_verdicts_are_announced_and_fields_have_names(page):
    boxes = page.locator(".bw-exercise")

    assert boxes.count() == len(EXERCISES)
    assert page.locator(".bw-exercise output:not([aria-live=polite])").count() == 0
    assert page.locator(".bw-exercise input").evaluate_all(
        "inputs => inputs.every((input) => input.labels.length === 1)"
    )


def test_the_paragraphs_to_read_again_exist(book):
    """Every place that a verdict sends to is a heading of the page it names."""
    for place in PLACES.values():
        file, anchor = place.address.split("#")
        html = BeautifulSoup((book / "chapters" / file).read_text(encoding="utf-8"), "html.parser")
        section = html.find(id=anchor)

        assert section is not None, place.address
        heading = section.find(re.compile("^h[1-6]$")).get_text()
        assert heading.replace("’", "'").rstrip("#") == place.heading
        assert place.section in html.title.get_text() or place.section in html.h1.get_text()


def test_without_javascript_everything_is_there_to_read(open_page, site):
    page = open_page(f"{site}/{PAGE}", java_script_enabled=False)
    for exercise in EXERCISES:
        twin = page.locator(f"#exercise-{exercise.id} ~ .bw-page .bw-twin").first
        assert twin.is_visible()
        text = twin.text_content()
        for question in exercise.questions:
            assert asked(question, instances(exercise.id)[0]) in text
            assert all(hint in text for hint in question.hints)
            if isinstance(question, Number):
                assert all(slip.cause in text for slip in question.slips)
            if isinstance(question, PickLine):
                assert all(line in text for given in exercise.given for line in BUGS[given["bug"]].lines)
    solutions = page.locator(".solution")
    assert solutions.count() == len(EXERCISES)
    assert all(solutions.nth(i).locator("p").nth(1).is_visible() for i in range(len(EXERCISES)))


def test_where_the_browser_keeps_nothing_answers_are_checked_all_the_same(new_page, site):
    page = new_page()
    refused = "{ get() { throw new Error('refused'); } }"
    page.add_init_script(
        f"for (const n of ['localStorage', 'sessionStorage']) Object.defineProperty(window, n, {refused})"
    )
    page.goto(f"{site}/{PAGE}")
    page.wait_for_selector(".bw-running .bw-exercise")
    box = box_of(page, "trimming")
    box.locator("input").fill("16")
    box.get_by_role("button", name="Check").click()

    assert box.locator("output").inner_text() == "16 is right."
    assert page.locator(".bw-progress output").inner_text() == f"0 of {len(EXERCISES)} solved"

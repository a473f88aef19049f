"""The claims widget in the built page: the reader's verdict first, by keyboard alone, and a score that adds up."""

import json
import re

import pytest

from claims import CLAIMS, MISTAKES, RIGHT, UNKNOWN, WRONG
from test_labs import ROOT, glued, saved

PAGE = "chapters/claims.html"
SENT = {claim["id"]: claim for claim in json.loads(glued(saved(ROOT / "notebooks" / "claims.ipynb"))["claims_json"])}
SAID = ".bw-claims .bw-said"


@pytest.fixture(params=["server", "file"])
def address(request, site, book) -> str:
    """Both ways to read the page: from a server and from disk."""
    return f"{site}/{PAGE}" if request.param == "server" else (book / PAGE).as_uri()


def give(page, verdict: str) -> None:
    """Choose a verdict for the statement shown and hand it in."""
    page.locator(f'.bw-claims input[value="{verdict}"]').check()
    page.get_by_role("button", name="Give this verdict").click()


def test_ours_is_hidden_until_the_reader_has_judged(open_page, address):
    """Nothing but the statement is to be seen before; then verdict, reason and the way to the lab."""
    page = open_page(address)
    first = SENT[CLAIMS[0].id]

    assert page.locator(SAID).inner_text() == ""
    assert first["reason"] not in page.locator("main").inner_text()

    give(page, WRONG)

    said = page.locator(SAID).inner_text()
    assert said.startswith(f"Our verdict is another: {first['verdict']}. {first['reason']}")
    assert page.locator(f"{SAID} a").get_attribute("href") == f"../notebooks/claims.html#{first['cell']}"
    assert page.locator(f'.bw-claims input[value="{WRONG}"]').is_disabled()


def test_no_verdict_is_given_without_a_choice(open_page, address):
    page = open_page(address)

    page.get_by_role("button", name="Give this verdict").click()

    assert page.locator(SAID).inner_text() == "Choose one of the four verdicts first."
    assert "judged" not in page.locator(".bw-claims .bw-actions .bw-muted").inner_text()


def test_it_works_by_keyboard_alone(open_page, address):
    """Tab reaches the verdicts, arrows choose, Enter hands in, and the next statement has the focus."""
    page = open_page(address)
    page.locator(".bw-claims select").focus()

    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")

    assert page.locator(SAID).inner_text().startswith("Our verdict is another: right.")

    assert page.evaluate("document.activeElement.className") == "bw-said"

    while not page.get_by_role("button", name="Next").evaluate("button => button === document.activeElement"):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")

    assert page.locator(".bw-claim").inner_text() == CLAIMS[1].statement
    assert page.evaluate("document.activeElement.className") == "bw-claim"


def test_the_score_names_the_mistakes_that_were_missed(open_page, site):
    """A reader who believes all but what cannot be known: the table counts, and the sentence names the worst kinds."""
    page = open_page(f"{site}/{PAGE}")
    for index, claim in enumerate(CLAIMS):
        give(page, UNKNOWN if claim.verdict == UNKNOWN else RIGHT)
        if index + 1 < len(CLAIMS):
            page.get_by_role("button", name="Next").click()

    agreed = sum(claim.verdict in (RIGHT, UNKNOWN) for claim in CLAIMS)
    score = page.locator(".bw-claims .bw-actions .bw-muted").first.inner_text()
    assert score == f"{len(CLAIMS)} of {len(CLAIMS)} judged, {agreed} like us"

    report = page.locator(".bw-claims details .bw-scroll").inner_text()  # open by itself after the last
    for kind, name in MISTAKES.items():
        met = [claim for claim in CLAIMS if claim.mistake == kind]
        alike = sum(claim.verdict == UNKNOWN for claim in met)
        row = re.search(rf"{re.escape(name)}\t(.*)\t(.*)", report)
        assert (row[1], row[2]) == (f"{alike} of {len(met)}", str(len(met) - alike))
    all_missed = [name for kind, name in MISTAKES.items() if kind != "evidence"]
    assert f"What you miss most often: {'; '.join(all_missed)}." in report
    assert "You doubted" not in report

    page.get_by_role("button", name="Start again").click()
    assert page.locator(".bw-claims .bw-actions .bw-muted").first.inner_text() == f"{len(CLAIMS)} statements"


def test_a_verdict_survives_a_reload(open_page, address):
    page = open_page(address)
    give(page, RIGHT)

    page.reload()

    assert page.locator(SAID).inner_text().startswith("We agree: right.")


def test_a_link_opens_its_statement(open_page, address):
    """#claim-billion shows that statement, also when the page is open already."""
    page = open_page(f"{address}#claim-billion")
    assert page.locator(".bw-claim").inner_text() == SENT["billion"]["statement"]

    page.evaluate("location.hash = '#claim-sqrt'")
    assert page.locator(".bw-claim").inner_text() == SENT["sqrt"]["statement"]


def test_all_verdicts_can_be_listed(open_page, site):
    page = open_page(f"{site}/{PAGE}")

    page.get_by_text("All statements with our verdicts").click()

    listed = page.locator(".bw-all li")
    assert listed.count() == len(CLAIMS)
    assert SENT["llama-memory"]["reason"] in page.locator(".bw-all").inner_text()


def test_without_javascript_all_verdicts_can_be_read(open_page, address):
    page = open_page(address, java_script_enabled=False)
    text = page.locator("main").inner_text()

    for claim in SENT.values():
        assert claim["statement"] in text
        assert claim["reason"] in text


def test_every_deciding_section_is_in_the_lab(open_page, site):
    page = open_page(f"{site}/notebooks/claims.html")

    assert [c.cell for c in CLAIMS if page.locator(f"#{c.cell}").count() != 1] == []


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_sticks_out(open_page, site, width, scheme):
    page = open_page(f"{site}/{PAGE}", viewport={"width": width, "height": 800}, color_scheme=scheme)
    give(page, WRONG)

    assert page.evaluate("document.documentElement.scrollWidth") <= width

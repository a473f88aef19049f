"""The widgets in a browser: exact, by keyboard alone, from a server and from disk, and what happens when one fails."""

import random
import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from conftest import served
from gpt_config import PRESETS, GPTConfig
from sizing import CONVENTIONS, count_parameters
from small_book import CURVES, glued, new_book, shown, sphinx, write_notebook
from widgets import Calculator, state, twins
from widgets.page import FOLDER, module_source

GPT2 = PRESETS["gpt2"]
TOTAL = ".bw-total strong"


@pytest.fixture(scope="session")
def widget_book(tmp_path_factory) -> Path:
    """The folder of the built test book."""
    folder = new_book(tmp_path_factory.mktemp("widgets") / "book")
    write_notebook(folder / "lab.ipynb", [glued("residual_curves", CURVES), shown(Calculator("small test"))])
    built = sphinx(folder)
    if built.returncode:
        pytest.fail(built.stdout + built.stderr)
    return folder / "_html"


@pytest.fixture(scope="session")
def widget_server(widget_book):
    """The address of the test book on a loopback server."""
    with served(widget_book) as address:
        yield address


@pytest.fixture(params=["server", "file"])
def address(request, widget_book, widget_server) -> str:
    """Both ways to read the book: from a server and from disk."""
    return widget_server if request.param == "server" else widget_book.as_uri()


def grouped(n: int) -> str:
    return f"{n:,}"


def entry(page, symbol: str):
    return page.get_by_label(re.compile(f"^{symbol}, .*, as a number$")).first


def slider(page, symbol: str):
    return page.get_by_role("slider", name=re.compile(f"^{symbol} ")).first


def widget(page, title: str, nth: int = 0):
    return page.get_by_role("region", name=title, exact=True).nth(nth)


def tab_to(page, locator):
    """Reach a control with the Tab key alone."""
    for _ in range(120):
        if locator.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"the keyboard does not reach {locator}")


def type_over(page, text: str):
    page.keyboard.press("Control+A")
    page.keyboard.type(text) if text else page.keyboard.press("Delete")


def colour_of(locator) -> str:
    return locator.evaluate("element => getComputedStyle(element).color")


# ---- Exact ----------------------------------------------------------------------------------------------------------


def random_configs(n: int) -> list[GPTConfig]:
    """Sizes over many orders of magnitude, biases on and off; a fair part of them beyond 2**53 parameters."""
    rng = random.Random(20260101)

    def size(low: float, high: float) -> int:
        return max(1, int(10 ** rng.uniform(low, high)))

    configs = []
    for i in range(n):
        heads = size(0, 3)
        configs.append(
            GPTConfig(
                block_size=size(0, 9),
                vocab_size=size(0, 9),
                n_layer=size(0, 5),
                n_head=heads,
                n_embd=heads * size(0, 5),
                bias=i % 2 == 0,
            )
        )
    return configs


TYPE_AND_READ = """configs => configs.map(({ texts, bias }) => {
  const box = document.querySelector(".bw");
  const type = (symbol, text) => {
    const entry = box.querySelector(`input[aria-label^="${symbol}, "]`);
    entry.value = text;
    entry.dispatchEvent(new Event("input"));
  };
  type("H", "1");
  for (const [symbol, text] of Object.entries(texts)) type(symbol, text);
  const check = box.querySelector("input[type=checkbox]");
  if (check.checked !== bias) check.click();
  const [counts, terms] = box.querySelectorAll("table");
  const read = (table, cells) => [...table.querySelectorAll(`tbody ${cells}`)].map((cell) => cell.textContent);
  return {
    total: box.querySelector(".bw-total strong").textContent,
    counts: read(counts, "td"),
    sum: read(terms, ".bw-sum td:last-child")[0],
    terms: read(terms, "tr:not(.bw-sum) td:last-child"),
  };
})"""


def test_calculator_agrees_with_python_on_1000_configurations(open_page, widget_server):
    """All six conventions, biases on and off, exact beyond 2**53; the terms of the formula sum to the total."""
    configs = random_configs(1000)
    asked = [
        {
            "texts": {"V": c.vocab_size, "T": c.block_size, "L": c.n_layer, "C": c.n_embd, "H": c.n_head},
            "bias": c.bias,
        }
        for c in configs
    ]
    page = open_page(f"{widget_server}/index.html")
    page.wait_for_selector(".bw-running")
    shown = page.evaluate(TYPE_AND_READ, asked)
    expected = [[grouped(count_parameters(c, name)) for name in CONVENTIONS] for c in configs]
    totals = [grouped(count_parameters(c)) for c in configs]

    assert sum(count_parameters(c) > 2**53 for c in configs) > 100
    assert [s["counts"] for s in shown] == expected
    assert [s["total"] for s in shown] == totals == [s["sum"] for s in shown]
    assert [grouped(sum(int(t.replace(",", "")) for t in s["terms"])) for s in shown] == totals


PERCENT = """async ([source, pairs]) => {
  const { percent } = await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  return pairs.map(([part, whole]) => percent(BigInt(part), BigInt(whole)));
}"""
WHOLES = st.integers(1, 3000) | st.integers(1, 10**30)
SHARES = WHOLES.flatmap(lambda whole: st.tuples(st.integers(0, whole), st.just(whole)))


def test_a_share_is_the_same_in_page_and_twin(open_page, widget_server):
    """In percent, also where it lies halfway between two roundings or beyond 2**53."""
    page = open_page(f"{widget_server}/index.html")
    source = module_source(FOLDER / "shared.mjs")

    @settings(max_examples=50, deadline=None)
    @given(st.lists(SHARES, min_size=1))
    @example([(1, 16), (3, 2000), (1, 400), (1, 1000), (19, 20000), (1, 100_001), (2**60 + 1, 2**64)])
    def agree(pairs):
        shown = page.evaluate(PERCENT, [source, [[str(n) for n in pair] for pair in pairs]])

        assert shown == [unescape(twins.percent(*pair)) for pair in pairs]

    agree()


def test_calculator_shows_every_tensor_on_demand(open_page, widget_server):
    """Each tensor times its layers sums to the stored count."""
    page = open_page(f"{widget_server}/index.html")
    tab_to(page, page.get_by_text("Every tensor", exact=True))
    page.keyboard.press("Enter")
    rows = page.locator("details tbody tr")
    rows.first.wait_for()
    cells = [row.locator("td").all_inner_texts() for row in rows.all()]
    stored = sum(int(c[2].replace(",", "")) * int(c[3].replace(",", "")) for c in cells)

    assert stored == count_parameters(GPT2, "stored")
    assert cells[0][:2] == ["(V, C)", "(50257, 768)"] and cells[2][:2] == ["(C,)", "(768,)"]


# ---- By keyboard ----------------------------------------------------------------------------------------------------


def test_calculator_by_keyboard(open_page, address):
    """Preset, slider, entry and checkbox; the result is announced, and its parts add up to it."""
    page = open_page(f"{address}/index.html")
    tab_to(page, page.get_by_label("Preset"))
    page.keyboard.type("gpt2-l")
    page.keyboard.press("Tab")
    large = page.locator(TOTAL).inner_text()
    tab_to(page, slider(page, "L"))
    page.keyboard.press("ArrowRight")
    deeper = page.locator(TOTAL).inner_text()
    tab_to(page, entry(page, "C"))
    type_over(page, "1 600")
    wider = page.locator(TOTAL).inner_text()
    tab_to(page, page.get_by_label("biases in Linear and LayerNorm"))
    page.keyboard.press("Space")
    config = GPTConfig(vocab_size=50257, n_layer=37, n_head=20, n_embd=1600, bias=False)
    parts = page.locator(".bw-legend .bw-n").all_inner_texts()

    assert large == grouped(count_parameters(PRESETS["gpt2-large"]))
    assert deeper == grouped(count_parameters(GPTConfig(vocab_size=50257, n_layer=37, n_head=20, n_embd=1280)))
    assert wider == grouped(count_parameters(GPTConfig(vocab_size=50257, n_layer=37, n_head=20, n_embd=1600)))
    assert page.locator(TOTAL).inner_text() == grouped(count_parameters(config))
    assert sum(int(part.replace(",", "")) for part in parts) == count_parameters(config)
    announced = page.locator("output[aria-live=polite]")
    announced.get_by_text(f"{grouped(count_parameters(config))} parameters", exact=True).wait_for(state="attached")
    assert announced.inner_text() == f"{grouped(count_parameters(config))} parameters"


def test_sliders_offer_only_what_fits(open_page, widget_server):
    """Neither the heads' nor the width's slider can leave the configurations that exist."""
    page = open_page(f"{widget_server}/index.html")
    for symbol in "HC":
        tab_to(page, slider(page, symbol))
        page.keyboard.press("Home")
        for _ in range(30):
            page.keyboard.press("ArrowRight")
            heads, width = (int(entry(page, s).input_value().replace(",", "")) for s in "HC")
            assert width % heads == 0 and page.locator(".bw-error:not(:empty)").count() == 0


@pytest.mark.parametrize(("moved", "values", "still"), [("H", (1, 16, 64, 768), "C"), ("C", (12, 780, 12288), "H")])
def test_a_slider_stands_still_while_its_value_stays(open_page, widget_server, moved, values, still):
    """Other heads leave the width where it is, and another width the heads."""
    page = open_page(f"{widget_server}/index.html")
    page.wait_for_selector(".bw-running")
    place, value = slider(page, still).input_value(), entry(page, still).input_value()
    for other in values:
        entry(page, moved).fill(str(other))

        assert page.locator(".bw-error:not(:empty)").count() == 0
        assert (slider(page, still).input_value(), entry(page, still).input_value()) == (place, value)


def test_a_dragged_slider_takes_the_nearest_that_fits(open_page, widget_server):
    """The thumb goes with the pointer from one width that 12 heads divide to another, there and back."""
    page = open_page(f"{widget_server}/index.html")
    thumb = slider(page, "C")
    thumb.scroll_into_view_if_needed()
    box = thumb.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 10, box["y"] + box["height"] / 2)
    page.mouse.down()
    seen = []
    for step in [*range(10, 90), *range(90, 9, -1)]:
        page.mouse.move(box["x"] + box["width"] * step / 100, box["y"] + box["height"] / 2)
        seen.append(int(entry(page, "C").input_value().replace(",", "")))
    page.mouse.up()
    there, back = seen[:80], seen[80:]

    assert all(width % 12 == 0 for width in seen) and page.locator(".bw-error:not(:empty)").count() == 0
    assert there == sorted(there) and back == sorted(back, reverse=True) and len(set(there)) > 15
    page.keyboard.press("ArrowRight")
    assert int(entry(page, "C").input_value().replace(",", "")) == min(w for w in there if w > seen[-1])


def test_a_dragged_slider_rests_on_stops_alone(open_page, widget_server):
    """Also one on which what was typed may stand between two stops."""
    page = open_page(f"{widget_server}/index.html")
    entry(page, "V").fill("300")
    thumb = slider(page, "V")
    thumb.scroll_into_view_if_needed()
    box = thumb.bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 10, y)
    page.mouse.down()
    seen, places = [], []
    for step in range(10, 90):
        page.mouse.move(box["x"] + box["width"] * step / 100, y)
        seen.append(int(entry(page, "V").input_value().replace(",", "")))
        places.append(float(thumb.input_value()))
    page.mouse.up()
    stops = next(field["stops"] for field in state.FIELDS if field["symbol"] == "V")

    assert set(seen) <= set(stops) and len(set(seen)) > 10 and seen == sorted(seen)
    assert places == [stops.index(value) for value in seen]


def test_a_click_in_place_leaves_the_keys_as_they_are(open_page, widget_server):
    """Nothing has moved, and the first press leads to the next width."""
    page = open_page(f"{widget_server}/index.html")
    thumb = slider(page, "C")
    thumb.scroll_into_view_if_needed()
    box, share = thumb.bounding_box(), thumb.evaluate("e => e.value / e.max")
    radius = 8  # of the thumb, which stays inside the slider with its whole width
    x = box["x"] + radius + share * (box["width"] - 2 * radius)
    page.mouse.click(x, box["y"] + box["height"] / 2)
    clicked = entry(page, "C").input_value()
    page.keyboard.press("ArrowRight")

    assert (clicked, entry(page, "C").input_value()) == ("768", "864")


@pytest.mark.parametrize(
    ("symbol", "typed", "left", "right"),
    [
        ("V", 3, 3, 7),
        ("V", 60, 7, 65),
        ("V", 256, 65, 1000),
        ("V", 300, 256, 1000),
        ("V", 300000, 200019, 300000),
        ("T", 100, 64, 128),
        ("L", 200, 96, 200),
        ("C", 3100, 2800, 3200),
        ("C", 20000, 19200, 20000),
    ],
)
def test_an_arrow_key_leads_to_the_neighbouring_stop(open_page, widget_server, symbol, typed, left, right):
    """From between two stops, from a stop, and from beyond the first or the last."""
    page = open_page(f"{widget_server}/index.html")
    if symbol == "C":
        entry(page, "H").fill("50")
    reached = []
    for key in ("ArrowLeft", "ArrowRight"):
        entry(page, symbol).fill(str(typed))
        slider(page, symbol).press(key)
        reached.append(int(entry(page, symbol).input_value().replace(",", "")))

    assert reached == [left, right]


def test_a_preset_says_what_it_is(open_page, widget_server):
    """Whoever reads "default" does not know yet that its vocabulary is that of GPT-2, rounded up."""
    page = open_page(f"{widget_server}/index.html")
    options = page.get_by_label("Preset").locator("option")

    assert "default (V = 50,304)" in options.all_inner_texts()
    assert [option.get_attribute("value") for option in options.all()] == ["", *PRESETS]


def test_walk_by_keyboard(open_page, address):
    """Forward, back, arrow keys and the step slider; the drawing marks the step, the text gives its shape
    and the parameters up to there."""
    page = open_page(f"{address}/tools.html")
    walk = widget(page, "Walk through a forward pass")
    said = walk.locator(".bw-step")
    tab_to(page, walk.get_by_role("button", name="Next"))
    for _ in range(2):
        page.keyboard.press("Enter")
    page.keyboard.press("ArrowRight")
    assert said.locator(".bw-shape strong").inner_text() == "(4, 6, 24)"
    assert walk.locator(".bw-box.bw-now").text_content() == "c_attn"
    assert walk.locator("table .bw-sum td").inner_text() == "216"  # 24 x 8 weights and 24 biases
    page.keyboard.press("ArrowLeft")
    assert walk.locator(".bw-box.bw-now").text_content() == "ln_1"
    tab_to(page, walk.get_by_role("slider", name="Step"))
    page.keyboard.press("End")
    assert said.locator(".bw-shape strong").inner_text() == "(4, 6, 7)" and "Step 19 of 19" in said.inner_text()
    assert said.locator(".bw-tally strong").inner_text() == "1,864"  # the tied head is not counted again
    assert "100.0 % of all" in said.inner_text()
    assert walk.locator("table .bw-sum th").inner_text() == "already counted as wte"
    page.keyboard.press("Home")
    assert said.locator(".bw-tally strong").inner_text() == "0" and "0 % of all" in said.inner_text()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.reload()
    tab_to(page, walk.locator("input[aria-label^='B, ']"))
    type_over(page, "5")
    assert said.locator(".bw-shape strong").inner_text() == "(5, 6)"


def test_heads_by_keyboard(open_page, address):
    """Only divisors of C can be chosen; the count stays, d and the number of maps change."""
    page = open_page(f"{address}/tools.html")
    heads = widget(page, "Head splitter")
    tab_to(page, heads.get_by_role("slider", name="H heads"))
    page.keyboard.press("Home")
    seen = []
    for _ in range(9):
        facts = heads.locator(".bw-fact strong").all_inner_texts()
        seen.append((int(heads.locator("input[aria-label^='H, ']").input_value()), *facts))
        page.keyboard.press("ArrowRight")

    assert [row[0] for row in seen] == [1, 2, 3, 4, 6, 8, 12, 16, 24]
    assert [row[1] for row in seen] == [f"48 / {h} = {48 // h}" for h, *_ in seen]
    assert [row[3] for row in seen] == [grouped(h * 16 * 16) for h, *_ in seen]
    assert {row[4:] for row in seen} == {
        ("6,912", grouped(count_parameters(GPTConfig(block_size=16, n_embd=48, n_head=4))))
    }
    assert heads.locator(".bw-drawing .bw-cut").count() == 3 * 4  # of 48 heads the first three and the last
    assert heads.locator(".bw-drawing .bw-outline").count() == 3 + 4
    assert heads.locator(".bw-drawing").get_by_text("⋮", exact=True).count() == 3
    assert heads.locator(".bw-drawing").get_by_text("48 maps", exact=True).count() == 1
    assert heads.locator(".bw-drawing").get_by_text("48 bands of d = 1 row", exact=True).count() == 1


def test_trimming_by_keyboard(open_page, address):
    """The count falls by (T - n) * C, of wpe alone; n below 1 or beyond T is refused with the range of both."""
    page = open_page(f"{address}/tools.html")
    trimming = widget(page, "Trimming the position table")
    facts = trimming.locator(".bw-fact strong")
    removed, left = facts.nth(2), facts.nth(4)
    assert "the only tensor that changes: wpe.weight" in trimming.inner_text()
    assert facts.all_inner_texts() == ["(6, 8) → (4, 8)", "1,864", "16", "0.9 %", "1,848", "0 to 3", "4 to 5"]
    tab_to(page, trimming.get_by_role("slider", name="n rows kept"))
    page.keyboard.press("ArrowRight")
    assert facts.all_inner_texts() == ["(6, 8) → (5, 8)", "1,864", "8", "0.4 %", "1,856", "0 to 4", "5"]
    tab_to(page, trimming.locator("input[aria-label^='n, ']"))
    for typed, problem in [("7", "out of range"), ("0", "too small, it must be at least 1")]:
        type_over(page, typed)
        assert f"n: {typed} is {problem}; enter a whole number from 1 to 6." in trimming.inner_text()
        assert left.inner_text() == "1,856"
    page.keyboard.press("Shift+Tab")
    tab_to(page, trimming.locator("input[aria-label^='C, ']"))
    type_over(page, "9")
    assert "H: 2 heads do not divide C = 9; nearest that do: 1 or 3." in trimming.inner_text()
    assert left.inner_text() == "1,856"
    page.keyboard.press("Shift+Tab")
    tab_to(page, trimming.get_by_label("Preset"))
    page.keyboard.type("gpt2-x")
    page.keyboard.press("Tab")
    assert removed.inner_text() == grouped((1024 - 5) * 1600)
    for T, n in [("1", "1"), ("6", "5")]:  # the reader's n is only hidden while T is too small for it
        trimming.locator("input[aria-label^='T, ']").fill(T)
        assert trimming.locator("input[aria-label^='n, ']").input_value() == n


def test_residuals_by_keyboard(open_page, address):
    """Depth and rule choose the curve; its numbers stand in the text and in the table."""
    page = open_page(f"{address}/tools.html")
    residuals = widget(page, "Residual explorer")
    facts = residuals.locator(".bw-fact strong")

    def numbers(rule, depth):
        mean, std = (CURVES["curves"][rule][str(depth)][key] for key in ("mean", "std"))
        theory = CURVES["theory"][rule][str(depth)]
        short = [f"{v:#.3g}" for v in (mean[0], mean[-1], std[-1], theory[-1])]
        return [short[0], f"{short[1]} ± {short[2]}", short[3]]

    assert facts.all_inner_texts()[:3] == numbers("none", 4)
    tab_to(page, residuals.get_by_role("slider", name="L layers"))
    page.keyboard.press("ArrowLeft")
    assert facts.all_inner_texts()[:3] == numbers("none", 2)
    tab_to(page, residuals.get_by_role("radio", checked=True))
    page.keyboard.press("ArrowDown")
    assert facts.all_inner_texts()[:3] == numbers("1/sqrt(2L)", 2)
    tab_to(page, residuals.get_by_text("Every number of this curve", exact=True))
    page.keyboard.press("Enter")
    residuals.locator("details tbody tr").first.wait_for()
    assert residuals.locator("details tbody th").all_inner_texts() == [
        "embeddings",
        "attention of block 1",
        "MLP of block 1",
        "attention of block 2",
        "MLP of block 2",
    ]
    assert "to 0.00333" in residuals.locator("svg").get_attribute("aria-label")


DRAW = """async ([source, state]) => {
  const { default: widget } = await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  document.body.replaceChildren();
  widget.render({ model: { get: (name) => state[name], on() {} }, el: document.body });
}"""


def test_a_variance_just_below_a_thousand_has_plain_digits(open_page, widget_server):
    """999.7 has three digits only as 1,000; a power of ten is for what is tiny."""
    curves = {"mean": [999.4, 99.97, 999.5, 0.00009, 999.7], "std": [1.0] * 5}
    measured = {"depths": [2], "rules": ["none"], "seeds": 5, "C": 64, "curves": {"none": {"2": curves}}}
    made = state.residuals({**measured, "theory": {"none": {"2": [1.0] * 5}}})
    page = open_page(f"{widget_server}/index.html")
    page.evaluate(DRAW, [module_source(FOLDER / "residuals.mjs"), made])
    page.get_by_text("Every number of this curve", exact=True).click()
    page.locator("details tbody tr").first.wait_for()

    assert page.locator("details tbody td:nth-child(2)").all_inner_texts() == [
        "999",
        "100",
        "1,000",
        "9.00e-5",
        "1,000",
    ]


# ---- Bad input ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("symbol", "typed", "message"),
    [
        ("V", "", "V: nothing is entered; enter a whole number from 1 to 1,000,000,000."),
        ("T", "1.5", "T: “1.5” is not a whole number; enter a whole number from 1 to 1,000,000,000."),
        ("T", "1,5", "T: “1,5” is not a whole number; enter a whole number from 1 to 1,000,000,000."),
        ("V", "1,2,3", "V: “1,2,3” is not a whole number; enter a whole number from 1 to 1,000,000,000."),
        ("V", "5030 4", "V: “5030 4” is not a whole number; enter a whole number from 1 to 1,000,000,000."),
        ("V", "1,2345", "V: “1,2345” is not a whole number; enter a whole number from 1 to 1,000,000,000."),
        ("L", "twelve", "L: “twelve” is not a whole number; enter a whole number from 1 to 1,000,000,000."),
        ("V", "1e9", "V: “1e9” is not written in digits; enter a whole number from 1 to 1,000,000,000, in digits."),
        ("T", "50k", "T: “50k” is not written in digits; enter a whole number from 1 to 1,000,000,000, in digits."),
        ("L", "-3", "L: -3 is too small, it must be at least 1; enter a whole number from 1 to 1,000,000,000."),
        ("C", "0", "C: 0 is too small, it must be at least 1; enter a whole number from 1 to 1,000,000,000."),
        ("V", "9" * 30, f"V: {'999,' * 9}999 is out of range; enter a whole number from 1 to 1,000,000,000."),
        ("T", "<b>1</b>", "T: “<b>1</b>” is not a whole number; enter a whole number from 1 to 1,000,000,000."),
        ("H", "5", "H: 5 heads do not divide C = 768; nearest that do: 4 or 6."),
        ("H", "1000", "H: 1,000 heads do not divide C = 768; nearest that do: 768."),
        ("C", "770", "H: 12 heads do not divide C = 770; nearest that do: 11 or 14."),
        ("C", "999999937", "H: 12 heads do not divide C = 999,999,937; nearest that do: 1 or 999,999,937."),
    ],
)
def test_impossible_input_is_explained_and_the_last_result_stays(open_page, widget_server, symbol, typed, message):
    """What is wrong and what would do, at the field that was changed; the total stays, dimmed, until a good value."""
    page = open_page(f"{widget_server}/index.html")
    field = entry(page, symbol)
    bright = colour_of(page.locator(TOTAL))
    field.fill(typed)
    errors = [text for text in page.locator(".bw-error").all_inner_texts() if text]
    described = page.locator(f"#{field.get_attribute('aria-describedby')}").inner_text()
    labels = page.locator("[aria-invalid=true]").evaluate_all("all => all.map((e) => e.ariaLabel)")
    marked = {label[0] for label in labels}

    note = page.get_by_text("What is shown belongs to the last possible configuration.")

    assert errors == [message] and described == message and note.is_visible()
    assert field.locator("xpath=following-sibling::p").inner_text() == message
    assert marked == ({"H", "C"} if "divide" in message else {symbol})
    assert page.locator(TOTAL).inner_text() == grouped(count_parameters(GPT2))
    assert colour_of(page.locator(TOTAL)) != bright
    assert page.get_by_label("Preset").evaluate("e => e.selectedOptions[0].text") == "own configuration"
    page.get_by_label("Preset").select_option("gpt2-xl")
    assert page.locator("[aria-invalid=true]").count() == 0 and not note.is_visible()
    assert colour_of(page.locator(TOTAL)) == bright
    assert page.locator(TOTAL).inner_text() == grouped(count_parameters(PRESETS["gpt2-xl"]))


@pytest.mark.parametrize(
    "typed", ["50,304", "50 304", "50_304", " 50304 ", "50\u202f304", "50\u2009304", "50\u00a0304", "50’304", "50'304"]
)
def test_separators_of_thousands_are_understood(open_page, widget_server, typed):
    """While typing nothing is touched; Enter puts the number into the form of all others."""
    page = open_page(f"{widget_server}/index.html")
    entry(page, "V").focus()
    type_over(page, typed)

    assert entry(page, "V").input_value() == typed
    assert page.locator(TOTAL).inner_text() == grouped(count_parameters(PRESETS["default"]))
    page.keyboard.press("Enter")
    assert entry(page, "V").input_value() == "50,304"


# ---- Kept, linked, copied -------------------------------------------------------------------------------------------


def test_values_survive_a_reload(open_page, address):
    page = open_page(f"{address}/index.html")
    entry(page, "L").fill("24")
    page.reload()
    assert entry(page, "L").input_value() == "24"
    page.goto(f"{address}/tools.html")
    page.locator(".second input[aria-label^='H, ']").fill("16")
    page.reload()

    assert page.locator(".second input[aria-label^='H, ']").input_value() == "16"
    assert widget(page, "Head splitter").locator("input[aria-label^='H, ']").input_value() == "4"


def test_kept_values_of_another_version_do_no_harm(open_page, widget_server):
    """Values that the module cannot draw any more are forgotten."""
    page = open_page(f"{widget_server}/index.html")
    entry(page, "L").fill("24")
    page.evaluate("sessionStorage.setItem(sessionStorage.key(0), JSON.stringify({ config: { n_layer: 'x' } }))")
    page.reload()

    assert page.locator(TOTAL).inner_text() == grouped(count_parameters(GPT2))
    assert page.locator(".bw-failure").count() == 0


def test_link_reopens_the_configuration(open_page, address):
    """The address stays true: it follows what the reader makes of the link, apart from the plain page."""
    page = open_page(f"{address}/index.html")
    page.get_by_label("Preset").select_option("gpt2-medium")
    page.get_by_label("biases in Linear and LayerNorm").uncheck()
    link = page.get_by_role("link", name="Link to this configuration").evaluate("a => a.href")
    other = open_page(link)
    config = GPTConfig(vocab_size=50257, n_layer=24, n_head=16, n_embd=1024, bias=False)

    assert other.locator(TOTAL).inner_text() == grouped(count_parameters(config))
    assert other.url == link and link.endswith("#calculator")
    assert entry(other, "V").input_value() == "50,257"
    entry(other, "L").fill("25")
    other.wait_for_url("**&L=25&**")
    assert other.url == link.replace("L=24", "L=25")
    other.reload()
    assert entry(other, "L").input_value() == "25"
    assert other.evaluate("history.length") == 2  # the blank page and this one
    other.goto(f"{address}/tools.html")
    other.goto(link)
    assert entry(other, "L").input_value() == "24"
    other.goto(f"{address}/index.html")
    assert entry(other, "L").input_value() == "12"


@pytest.mark.parametrize(
    ("query", "config", "message"),
    [
        ("H=64", replace(GPT2, n_head=64), ""),
        ("bias=0", replace(GPT2, bias=False), ""),
        ("C=770", GPT2, "H: 12 heads do not divide C = 770; nearest that do: 11 or 14."),
        ("V=1e9", GPT2, "V: “1e9” is not written in digits; enter a whole number from 1 to 1,000,000,000, in digits."),
        ("bias=no", GPT2, "bias: “no” in the address is neither 0 (without) nor 1 (with biases)."),
    ],
)
def test_part_of_a_link_changes_only_what_it_names(open_page, widget_server, query, config, message):
    """The rest is that of the page; what cannot be shown is explained."""
    page = open_page(f"{widget_server}/index.html?{query}")
    page.wait_for_selector(".bw-running")

    assert [text for text in page.locator(".bw-error").all_inner_texts() if text] == ([message] if message else [])
    assert page.locator(TOTAL).inner_text() == grouped(count_parameters(config))
    assert entry(page, "H").input_value() == str(config.n_head)
    assert page.get_by_label("biases in Linear and LayerNorm").is_checked() == config.bias


def test_link_to_an_impossible_configuration_is_explained(open_page, widget_server):
    page = open_page(f"{widget_server}/index.html?V=7&T=x&L=2&H=3&C=8&bias=1")

    assert [text for text in page.locator(".bw-error").all_inner_texts() if text] == [
        "T: “x” is not a whole number; enter a whole number from 1 to 1,000,000,000.",
        "H: 3 heads do not divide C = 8; nearest that do: 2 or 4.",
    ]
    assert page.locator(TOTAL).inner_text() == grouped(count_parameters(GPT2))


@pytest.mark.parametrize("clipboard", [True, False])
def test_copied_text_is_the_configuration(open_page, address, clipboard):
    """With a clipboard it is copied; without one it is shown and marked. Either way it is valid Python."""
    page = open_page(f"{address}/index.html")
    page.evaluate(
        """works => {
          const clipboard = { writeText: async (text) => { window.copied = text; } };
          Object.defineProperty(navigator, "clipboard", { value: works ? clipboard : undefined });
        }""",
        clipboard,
    )
    page.get_by_label("Preset").select_option("small test")
    tab_to(page, page.get_by_role("button", name="Copy as GPTConfig"))
    page.keyboard.press("Enter")
    page.get_by_role("status").get_by_text("Cop" if clipboard else "Press Ctrl+C").wait_for()
    text = page.evaluate("window.copied" if clipboard else "getSelection().toString()")

    assert eval(text, {"GPTConfig": GPTConfig}) == PRESETS["small test"]


# ---- Failure, and no JavaScript -------------------------------------------------------------------------------------


def test_failing_module_says_so_and_leaves_the_page_working(open_page, address):
    """At the start, when it cannot be read, and later when it is used; state text is never taken for HTML."""
    page = open_page(f"{address}/broken.html")
    failures = page.locator(".bw-failure")
    failures.nth(1).wait_for()
    told = "This interactive part has stopped: no render today. The rest of the page works."
    assert failures.nth(0).inner_text() == told
    assert failures.count() == 2 and failures.nth(1).get_attribute("role") == "alert"

    late = page.locator("button.late").first
    assert late.inner_text() == "</script><b>Fail</b>" and page.locator("b", has_text="Fail").count() == 0
    assert late.evaluate("b => getComputedStyle(b).color") == "rgb(1, 2, 3)"
    late.click()
    page.get_by_text("too late").wait_for()
    assert page.locator("button.late").all_inner_texts() == ["Not asked"]  # another part of the same module goes on
    page.locator("button.slow").click()
    page.get_by_text("This interactive part has stopped: too slow.").wait_for()

    counter = page.locator("button.counter")
    counter.click()
    assert counter.inner_text() == "4 [4]"
    counter.click()
    counter.click()
    assert counter.inner_text() == "5 [4,5]"  # after off() nothing is painted
    page.reload()
    assert page.locator("button.counter").inner_text() == "6 []"


def test_twin_stands_in_for_a_failed_widget(new_page, widget_server):
    """A browser that cannot run the module shows the message and, beneath it, the same facts as tables."""
    page = new_page()
    page.add_init_script("window.BigInt = undefined")
    page.goto(f"{widget_server}/index.html")
    page.locator(".bw-failure").wait_for()

    assert page.locator(".bw-twin").is_visible() and "163,037,184" in page.locator(".bw-twin").inner_text()


def test_saved_lab_output_runs_without_a_kernel(open_page, address):
    """The page form that a lab saved is the living widget in the built page."""
    page = open_page(f"{address}/lab.html")
    assert page.locator(TOTAL).inner_text() == "1,864"
    entry(page, "T").fill("4")

    assert page.locator(TOTAL).inner_text() == "1,848"


@pytest.mark.parametrize("name", ["index", "tools", "lab"])
def test_twin_stands_in_without_javascript(open_page, address, name):
    page = open_page(f"{address}/{name}.html", java_script_enabled=False)
    twins = page.locator(".bw-twin")

    assert twins.count() >= 1 and all(twin.is_visible() for twin in twins.all())
    assert page.locator(".bw-live").first.inner_text() == ""
    assert page.get_by_text(re.compile("124,439,808|1,864|c_attn")).first.is_visible()


def test_twin_stands_in_on_paper(open_page, widget_server):
    page = open_page(f"{widget_server}/index.html")
    page.locator(TOTAL).wait_for()
    assert not page.locator(".bw-twin").is_visible()
    page.emulate_media(media="print")

    assert page.locator(".bw-twin").is_visible() and not page.locator(".bw-live").is_visible()


@pytest.mark.parametrize("width", [320, 1280])
def test_the_largest_numbers_have_room(open_page, widget_server, width):
    """All fields at the bound: nothing runs over its neighbour or out of the frame, no name stands letter by letter."""
    page = open_page(f"{widget_server}/index.html", viewport={"width": width, "height": 800})
    for symbol in "HCVTL":
        entry(page, symbol).fill("1000000000")
    largest = GPTConfig(10**9, 10**9, 10**9, 10**9, 10**9)
    assert page.locator(TOTAL).inner_text() == grouped(count_parameters(largest))

    outside = page.evaluate("""[...document.querySelectorAll(".bw :is(td, th, li *, strong, caption)")].filter((e) =>
      e.scrollWidth > e.clientWidth + 1 && e.clientWidth || e.getBoundingClientRect().right >
      e.closest(".bw > section").getBoundingClientRect().right).map((e) => e.outerHTML)""")
    assert outside == []
    names = page.locator(".bw-legend li > span:not(.bw-n)")
    assert min(names.evaluate_all("all => all.map((e) => e.getBoundingClientRect().width)")) > 90
    assert "< 0.001 %" in page.locator(".bw-legend").inner_text()
    assert not re.search(r"\de[+-]\d", page.locator(".bw").first.inner_text())
    assert slider(page, "C").evaluate("e => e.value === e.max")


@pytest.mark.parametrize("width", [390, 1280])
def test_words_in_drawings_are_large_enough(open_page, widget_server, width):
    """At least 11 pixels on the screen."""
    page = open_page(f"{widget_server}/tools.html", viewport={"width": width, "height": 844})
    page.locator(".bw-running svg").nth(4).wait_for()
    sizes = page.locator("svg.bw-drawing text").evaluate_all(
        "all => all.map((e) => parseFloat(getComputedStyle(e).fontSize) * e.getScreenCTM().a)"
    )

    assert len(sizes) > 40 and min(sizes) >= 11


@pytest.mark.parametrize(("width", "height"), [(390, 500), (195, 420)])
def test_the_total_stays_in_sight_of_every_slider(open_page, widget_server, width, height):
    """On a phone the sliders fill the screen; whichever has the focus, the total is seen and does not cover it."""
    page = open_page(f"{widget_server}/index.html", viewport={"width": width, "height": height})
    total = page.locator(".bw-result")
    for symbol in "VTLHC":
        tab_to(page, slider(page, symbol))
        control, result = slider(page, symbol).bounding_box(), total.bounding_box()

        assert control["y"] >= 0 and result["y"] + result["height"] <= height + 0.5
        assert control["y"] + control["height"] <= result["y"]
    frame = page.locator(".bw > section").bounding_box()
    assert result["x"] >= frame["x"] and result["width"] <= frame["width"]


def test_a_narrow_walk_shows_step_and_text_together(open_page, widget_server):
    """On a phone the part of the drawing around the step, the buttons and the shape fit on one screen."""
    page = open_page(f"{widget_server}/tools.html", viewport={"width": 390, "height": 844})
    walk = widget(page, "Walk through a forward pass")
    window, forward = walk.locator(".bw-window"), walk.get_by_role("button", name="Next")
    for step in range(19):
        seen, box = window.bounding_box(), walk.locator(".bw-box.bw-now").bounding_box()
        tally = walk.locator(".bw-tally").bounding_box()

        assert seen["y"] <= box["y"] and box["y"] + box["height"] <= seen["y"] + seen["height"], step
        assert tally["y"] + tally["height"] - seen["y"] < 700, step
        forward.press("ArrowRight")


NARROW = """() => {
  const rect = (e) => {
    const range = document.createRange(); // of a name, its words: its box is as wide as there is room
    range.selectNodeContents(e);
    return (e.matches(".bw-name") ? range : e).getBoundingClientRect();
  };
  const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  const faults = [];
  for (const frame of document.querySelectorAll(".bw > section")) {
    const parts = [...frame.querySelectorAll(".bw-name, input, select, button")].filter((e) => rect(e).width);
    for (const part of parts) {
      if (rect(part).right > rect(frame).right) faults.push(`outside: ${part.outerHTML}`);
      if (part.matches("button") && part.scrollWidth > part.clientWidth + 1) faults.push(`cut: ${part.outerHTML}`);
    }
    for (const [i, a] of parts.entries()) for (const b of parts.slice(i + 1)) {
      if (!a.contains(b) && meet(rect(a), rect(b))) faults.push(`${a.outerHTML} meets ${b.outerHTML}`);
    }
  }
  return faults;
}"""


@pytest.mark.parametrize("width", [195, 320])
@pytest.mark.parametrize("name", ["index", "tools"])
def test_nothing_is_covered_in_a_very_narrow_window(open_page, widget_server, name, width):
    """A phone at 200 % has 195 pixels: each name stands free of each control, and all of them inside the frame."""
    page = open_page(f"{widget_server}/{name}.html", viewport={"width": width, "height": 800})
    page.locator(".bw-running").last.wait_for()

    assert page.evaluate(NARROW) == []


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("name", ["index", "tools", "lab"])
def test_no_horizontal_overflow(open_page, widget_server, name, width):
    """Nothing is wider than the page, also with the longest numbers."""
    page = open_page(f"{widget_server}/{name}.html", viewport={"width": width, "height": 800})
    for preset in page.get_by_label("Preset").all():
        preset.select_option("gpt3-175b")
    outside = page.evaluate("""[...document.querySelectorAll(".bw *")].filter((e) => !e.closest(".bw-scroll")
      && e.getBoundingClientRect().right > e.closest(".bw").getBoundingClientRect().right).map((e) => e.outerHTML)""")

    assert outside == []
    assert page.locator(".bw").first.evaluate("el => el.getBoundingClientRect().width") <= width

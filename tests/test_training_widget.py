"""The calculator of a training step: what Python hands over, and that the page agrees with Python."""

import random
import re
from dataclasses import replace

import pytest
from playwright.sync_api import expect

import costs
from conftest import served
from gpt_config import PRESETS, GPTConfig
from small_book import new_book, sphinx
from widgets import Training, registry, state

TITLE = "What one training step needs"


def test_the_twin_shows_the_peak_of_both_kinds_of_attention():
    made = state.training("gpt2", batch_size=4)
    twin = registry.WIDGETS["training"].make_twin(made)
    for explicit in (True, False):
        peak = costs.peak(PRESETS["gpt2"], 4, explicit)
        flops = costs.evaluate(costs.training_flops(explicit), PRESETS["gpt2"], 4)
        for amount in (*peak.parts.values(), peak.total_bytes, flops):
            assert f'<td class="bw-n">{amount:,}</td>' in twin
        assert f"when {peak.moment}" in twin


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"attention": "sparse"}, "attention='sparse' is not known; use one of explicit, fused"),
        ({"batch_size": 0}, "batch_size=0 is not valid; use an integer from 1 to 1,000,000,000"),
        ({"config": {"dropout": 0.1}}, "dropout=0.1 is not counted here; use 0.0"),
        ({"config": "gpt5"}, f"config='gpt5' is not a preset; use one of {', '.join(PRESETS)}"),
    ],
)
def test_a_value_that_describes_nothing_is_refused(values, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        state.training(**values)


def test_the_live_widget_takes_config_batch_and_attention():
    widget = Training("small test", batch_size=2, attention="fused")

    assert (widget.config, widget.batch_size, widget.attention) == (PRESETS["small test"], 2, "fused")
    with pytest.raises(Exception, match="attention"):
        widget.attention = "sparse"


def test_the_live_widget_keeps_the_last_config_without_dropout():
    """Dropout's masks are not counted, so it is refused from Python and from the page."""
    widget = Training("small test")
    message = r"^dropout=0\.1 is not counted here; use 0\.0$"
    with pytest.raises(ValueError, match=message):
        widget.config = GPTConfig(dropout=0.1)
    widget.set_state({"config": {**state.config_fields(PRESETS["gpt2"]), "dropout": 0.1}})

    assert widget.config == PRESETS["small test"]
    with pytest.raises(ValueError, match=message):
        Training(GPTConfig(dropout=0.1))


@pytest.fixture(scope="module")
def html(tmp_path_factory):
    """The folder of a built page that holds the widget alone."""
    folder = new_book(tmp_path_factory.mktemp("training") / "book")
    page = "---\norphan: true\n---\n\n# Step\n\n:::{anywidget} src/widgets/training.mjs\n{}\n:::\n"
    (folder / "step.md").write_text(page, encoding="utf-8")
    built = sphinx(folder)
    html = folder / "_html"
    assert (html / "step.html").exists(), built.stdout + built.stderr
    return html


@pytest.fixture(scope="module")
def server(html):
    """The address of the page on a loopback server."""
    with served(html) as address:
        yield f"{address}/step.html"


@pytest.fixture(params=["server", "file"])
def address(request, html, server) -> str:
    """Both ways to read the page: from a server and from disk."""
    return server if request.param == "server" else (html / "step.html").as_uri()


def shown(widget) -> tuple[list[str], str]:
    """The exact numbers of both tables, and the sentence on the moment of the peak."""
    return widget.locator("details tbody td:last-child").all_inner_texts(), widget.get_by_text(
        "The peak comes"
    ).inner_text()


def expected(config: GPTConfig, batch_size: int, explicit: bool) -> tuple[list[str], str]:
    peak = costs.peak(config, batch_size, explicit)
    flops = costs.evaluate(costs.training_flops(explicit), config, batch_size)
    moments = [costs.evaluate(moment.terms, config, batch_size) for moment in costs.moments(config.bias, explicit)]
    return [f"{n:,}" for n in (*peak.parts.values(), flops, *moments)], f"The peak comes when {peak.moment}."


def test_it_works_by_keyboard_alone(open_page, address):
    """Tab reaches every control; preset, batch, width by slider, attention and biases change the exact costs."""
    page = open_page(address)
    widget = page.get_by_role("region", name=TITLE, exact=True).first

    def tab_to(locator):
        for _ in range(80):
            if locator.evaluate("element => element === document.activeElement"):
                return
            page.keyboard.press("Tab")
        pytest.fail(f"the keyboard does not reach {locator}")

    tab_to(widget.get_by_label("Preset"))
    page.keyboard.type("small")
    page.keyboard.press("Tab")
    tab_to(widget.get_by_label("B, batch, as a number"))
    page.keyboard.press("Control+A")
    page.keyboard.type("3")
    tab_to(widget.get_by_role("slider", name="L layers"))
    page.keyboard.press("ArrowRight")
    tab_to(widget.get_by_label("biases"))
    page.keyboard.press("Space")
    tab_to(widget.get_by_label("Attention"))
    page.keyboard.type("fused")
    tab_to(widget.get_by_text("Exact numbers and formulas", exact=True))
    page.keyboard.press("Enter")
    config = replace(PRESETS["small test"], n_layer=3, bias=False)

    assert shown(widget) == expected(config, 3, explicit=False)


def test_the_moment_of_the_peak_is_announced_and_marked(open_page, server):
    """With GPT-2 small, a short context moves the peak from the loss to the optimizer."""
    page = open_page(server)
    widget = page.get_by_role("region", name=TITLE, exact=True).first
    widget.get_by_text("Exact numbers and formulas").first.click()
    announced, marked = widget.locator("output[aria-live=polite]"), widget.locator("tr.bw-sum th")
    widget.get_by_label("T, block size, as a number").fill("64")
    expect(announced).to_contain_text("when the optimizer takes its step")

    assert marked.inner_text().startswith("the optimizer takes its step")
    widget.get_by_label("T, block size, as a number").fill("1024")
    expect(announced).to_contain_text("when the backward pass begins")
    assert marked.inner_text().startswith("the backward pass begins")


def test_huge_amounts_have_one_notation(open_page, server):
    """Beyond the names of the units, bytes are written like FLOPs, with a power of ten."""
    page = open_page(server)
    widget = page.get_by_role("region", name=TITLE, exact=True).first
    for symbol in "HCVTLB":
        widget.get_by_label(re.compile(f"^{symbol}, .*, as a number$")).fill("1000000000")
    text = widget.inner_text()

    assert not re.search(r"\de[+-]\d", text)
    assert re.search(r"\d\.\d\d · 10[⁰¹²³⁴⁵⁶⁷⁸⁹]+ bytes in float32", text)


def test_the_page_agrees_with_python_to_the_byte(open_page, server):
    """Every cost, moment and peak of random configurations, with both kinds of attention, some far beyond 2^53."""
    page = open_page(server)
    widget = page.get_by_role("region", name=TITLE, exact=True).first
    widget.get_by_text("Exact numbers and formulas").first.click()
    rng = random.Random(0)
    for _ in range(20):
        H = rng.choice([1, 2, 12, 96])
        sizes = {"V": rng.randint(1, 10**6), "T": rng.randint(1, 10**6), "L": rng.randint(1, 500), "H": H}
        sizes |= {"C": H * rng.randint(1, 500), "B": rng.randint(1, 10**4)}
        bias, attention = rng.random() < 0.5, rng.choice(["explicit", "fused"])
        for symbol in ("C", "H", "V", "T", "L", "B"):
            widget.get_by_label(re.compile(f"^{symbol}, .*, as a number$")).fill(str(sizes[symbol]))
        widget.get_by_label("biases").set_checked(bias)
        widget.get_by_label("Attention").select_option(attention)
        config = GPTConfig(sizes["T"], sizes["V"], sizes["L"], H, sizes["C"], bias=bias)

        assert shown(widget) == expected(config, sizes["B"], attention == "explicit")

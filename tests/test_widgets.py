"""The widgets without a browser: their states and twins, the directive, and the live classes."""

import inspect
import json
import os
import re
import subprocess
import sys
from dataclasses import asdict, replace

import pytest
import torch
import traitlets
from bs4 import BeautifulSoup
from torch.overrides import TorchFunctionMode

import page_widgets
import widgets
from claims import CLAIMS
from conftest import ROOT
from gpt import GPT
from gpt_config import PRESETS, GPTConfig
from llama_config import LLAMA_PRESETS
from sizing import CONVENTIONS, SHAPE_TABLE, count_parameters
from small_book import CURVES, glued, new_book, sphinx, write_notebook
from widgets import Calculator, Heads, Residuals, Training, Trimming, Walk, live, registry, state, twins
from widgets.page import FOLDER, json_in_html, module_source, table_html

SMALL = PRESETS["small test"]


def needs_no_value(name: str) -> bool:
    values = inspect.signature(registry.WIDGETS[name].make_state).parameters.values()
    return all(value.default is not value.empty for value in values)


# ---- States ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*filter(needs_no_value, registry.WIDGETS)])
def test_state_is_json_with_data_apart(name):
    """A state survives JSON, and what a reader cannot set lies in ``data``."""
    made = registry.WIDGETS[name].make_state()

    assert json.loads(json.dumps(made)).keys() == made.keys() and "data" in made


class Calls(TorchFunctionMode):
    """Collects, by the name of each torch function, the shapes of what it returns."""

    def __init__(self):
        self.shapes = {}

    def __torch_function__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        for value in result if isinstance(result, (tuple, list)) else (result,):
            if isinstance(value, torch.Tensor):
                self.shapes.setdefault(func.__name__, []).append(tuple(value.shape))
        return result


def shapes_inside_attention(attention, x) -> dict[str, list[tuple[int, ...]]]:
    """{step of the walk: the shapes of its results} between the two Linear layers."""
    with Calls() as calls:
        attention(x)
    seen = calls.shapes
    scores, values = seen["matmul"]
    return {
        "split": seen["split"],
        "heads": seen["transpose"][:3],  # of q, k and v; the next are those of the scores and of the merge
        "scores": [scores],
        "softmax": seen["softmax"],
        "values": [values],
        "merge": seen["reshape"],
    }


@pytest.mark.parametrize("bias", [True, False])
def test_walk_gives_the_shapes_of_the_real_model(bias):
    """Each step has the shape that is seen in a real forward pass with explicit attention."""
    config = GPTConfig(block_size=6, vocab_size=7, n_layer=1, n_head=2, n_embd=8, bias=bias)
    model, idx = GPT(config, explicit_attention=True), torch.zeros(3, 6, dtype=torch.long)
    block = model.transformer.h[0]
    entering, leaving = {}, {}
    for name, module in model.named_modules():
        module.register_forward_pre_hook(lambda _, args, name=name: entering.update({name: args[0]}))
        module.register_forward_hook(lambda _, args, out, name=name: leaving.update({name: out}))
    model(idx, targets=idx)
    inside = "transformer.h.0."
    tensors = {
        "ids": entering[""],
        "embeddings": entering["transformer.drop"],
        "ln_1": leaving[inside + "ln_1"],
        "c_attn": leaving[inside + "attn.c_attn"],
        "attn.c_proj": leaving[inside + "attn.c_proj"],
        "attn.add": entering[inside + "ln_2"],
        "ln_2": leaving[inside + "ln_2"],
        "c_fc": leaving[inside + "mlp.c_fc"],
        "gelu": leaving[inside + "mlp.gelu"],
        "mlp.c_proj": leaving[inside + "mlp.c_proj"],
        "mlp.add": entering["transformer.ln_f"],
        "ln_f": leaving["transformer.ln_f"],
        "lm_head": leaving["lm_head"],
    }
    expected = {key: [tuple(tensor.shape)] for key, tensor in tensors.items()}
    expected |= shapes_inside_attention(block.attn, entering[inside + "attn"])
    dims = {"B": 3, "T": 6, "C": 8, "H": 2, "d": 4, "V": 7}
    actual = {
        step["key"]: [tuple(factor * dims[symbol] for factor, symbol in step["shape"])] * step["copies"]
        for step in state.walk()["data"]["steps"]
    }

    assert expected == actual


def test_walk_uses_every_tensor_of_the_table():
    """One walk through the model meets every entry of the state dict once."""
    used = [name for step in state.walk()["data"]["steps"] for name in step["tensors"]]

    assert sorted(used) == sorted(tensor.name for tensor in SHAPE_TABLE)


@pytest.mark.parametrize("bias", [True, False])
def test_walk_twin_ends_with_the_unique_count(bias):
    config = GPTConfig(block_size=6, vocab_size=7, n_layer=3, n_head=2, n_embd=8, bias=bias)
    last = BeautifulSoup(twins.walk(state.walk(config)), "html.parser").select("tr")[-1]

    assert last.select("td")[-1].get_text() == f"{count_parameters(config):,}"


@pytest.mark.parametrize("name", ["small test", "gpt2", "gpt3-175b"])
def test_calculator_twin_holds_all_six_counts(name):
    """Without JavaScript the page still says what every convention counts."""
    twin = registry.WIDGETS["calculator"].make_twin(state.calculator())
    missing = [c for c in CONVENTIONS if f"{count_parameters(PRESETS[name], c):,}" not in twin]

    assert missing == []


def test_trimming_twin_counts_with_the_table():
    """T 6 to 4 at C = 8 removes 16."""
    twin = registry.WIDGETS["trimming"].make_twin(state.trimming())

    assert ["4", "16", "0.9 %", "1,848", "0 to 3", "4 to 5"] in [
        re.findall("<td[^>]*>([^<]*)", row) for row in twin.split("<tr>")
    ]


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [
        (0, 7, "0 %"),
        (7, 7, "100.0 %"),
        (1, 16, "6.3 %"),
        (1, 1000, "0.1 %"),
        (97, 100_000, "0.1 %"),
        (1, 2000, "0.05 %"),
        (1, 40_000, "0.003 %"),
        (1, 100_000, "0.001 %"),
        (1, 100_001, "&lt; 0.001 %"),
        (2**60 - 1, 2**64, "6.2 %"),
    ],
)
def test_a_share_in_percent_is_exact(part, whole, text):
    """Ties are rounded up, and what is just below one is not."""
    assert twins.percent(part, whole) == text


def test_residual_twin_has_a_row_for_each_curve():
    twin = registry.WIDGETS["residuals"].make_twin(state.residuals(CURVES))

    assert twin.count("<tr>") == 1 + len(CURVES["rules"]) * len(CURVES["depths"])
    assert "0.009 ± 0.0009" not in twin and "0.02 ± 0.002" not in twin
    assert f"{CURVES['curves']['none']['4']['mean'][-1]:.3g} ± {CURVES['curves']['none']['4']['std'][-1]:.2g}" in twin


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("calculater", {}, f"no widget is called 'calculater'; there are {', '.join(registry.WIDGETS)}"),
        ("heads", {"step": 1}, "heads has no value called step; it has config"),
        ("residuals", {}, "residuals needs a value for curves"),
        ("walk", {"step": 19}, "step=19 is not valid; use an integer from 0 to 18"),
        ("trimming", {"kept": 7}, "kept=7 is not valid; use an integer from 1 to 6"),
        ("calculator", {"config": {"n_haed": 1}}, "config has no field n_haed; its fields are block_size, vocab_size"),
        ("calculator", {"config": {"n_head": 7}}, "n_head=7 does not divide n_embd=768; nearest valid n_head: 6 or 8"),
        ("calculator", {"config": "gpt4"}, "config='gpt4' is not a preset; use one of small test, gpt2,"),
        ("calculator", {"config": {"vocab_size": 10**10}}, "vocab_size=10000000000 is not valid; use an"),
        ("residuals", {"curves": {"depths": []}}, "curves lack rules, seeds, C, curves, theory"),
        ("residuals", {"curves": CURVES, "depth": 3}, "depth=3 was not measured; use one of 2, 4"),
        ("residuals", {"curves": CURVES, "rule": "1/L"}, "rule='1/L' was not measured; use one of none, 1/sqrt(2L)"),
        (
            "calculator",
            {"config": 5},
            "config=5 is not valid; use the name of a preset, a dict of fields or a GPTConfig",
        ),
        ("heads", {"config": None}, "config=None is not valid; use the name of a preset, a dict of fields or a"),
        ("walk", {"config": ["gpt2"]}, "config=['gpt2'] is not valid; use the name of a preset, a dict of fields or a"),
        ("training", {"config": LLAMA_PRESETS["llama-2-7b"]}, "is not valid; use the name of a preset, a dict of"),
        ("calculator", {"config": {1: 2}}, "config has no field 1; its fields are block_size, vocab_size"),
        ("training", {"attention": []}, "attention=[] is not known; use one of explicit, fused"),
        ("residuals", {"curves": 5}, "curves=5 is not valid; use a dict with depths, rules, seeds, C, curves, theory"),
        ("residuals", {"curves": {**CURVES, "depths": []}}, "curves['depths']=[] is not valid; use a list of integers"),
        ("residuals", {"curves": {**CURVES, "depths": 5}}, "curves['depths']=5 is not valid; use a list of integers"),
        ("residuals", {"curves": {**CURVES, "depths": ["2"]}}, "curves['depths']=['2'] is not valid; use a list of"),
        ("residuals", {"curves": {**CURVES, "rules": []}}, "curves['rules']=[] is not valid; use a list of names"),
        ("residuals", {"curves": {**CURVES, "rules": [[]]}}, "curves['rules']=[[]] is not valid; use a list of names"),
        ("residuals", {"curves": {**CURVES, "curves": 5}}, "curves['curves']=5 is not valid; use a dict with 'none'"),
        (
            "residuals",
            {"curves": {**CURVES, "curves": {"none": 5}}},
            "curves['curves']['none']=5 is not valid; use a dict with '2'",
        ),
        (
            "residuals",
            {"curves": {**CURVES, "theory": {"none": {}}}},
            "curves['theory']['none']={} is not valid; use a dict with '2'",
        ),
        (
            "residuals",
            {"curves": {**CURVES, "theory": {"none": {"2": [1], "4": [1]}}}},
            "curves['theory']['none']['2']=[1] is not valid; use a list of 5 numbers",
        ),
        (
            "residuals",
            {"curves": {**CURVES, "theory": {"none": {"2": ["1"] * 5}}}},
            "curves['theory']['none']['2']=['1', '1', '1', '1', '1'] is not valid; use a list of 5 numbers",
        ),
        ("claims", {"claims": 5}, "claims=5 is not valid; use a list of dicts with id, topic, statement, verdict,"),
        ("claims", {"claims": [5]}, "claims has 5, which is not valid; use dicts with id, topic, statement, verdict,"),
        (
            "claims",
            {"claims": [{**asdict(CLAIMS[0]), "reason": None}]},
            f"the lab's claim {CLAIMS[0].id!r} has no reason; run make notebooks",
        ),
        ("exercise", {"exercise": []}, "exercise=[] is not valid; use the id of an exercise"),
    ],
)
def test_wrong_values_are_named(name, values, message):
    """Whoever writes a page or a lab learns what is wrong and what would do."""
    with pytest.raises(ValueError, match=re.escape(message)):
        registry.html(name, values)


# ---- Modules and markup ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", registry.WIDGETS)
def test_module_is_self_contained(name):
    """No import is left, and there is one default export: a page and a live lab take the module as one text."""
    source = module_source(FOLDER / f"{name}.mjs")

    [line] = re.findall(r"^(?:import|export default)\b.*$", source, re.MULTILINE)

    assert re.fullmatch(r"export default \{ render(, parameters)? \};", line)


def test_the_heads_of_the_widest_model_are_listed_at_once():
    """Only the divisors are tried, not every number up to the width."""
    twin = twins.heads(state.heads({"n_head": 1, "n_embd": 10**9}))

    assert twin.count("<tr>") == 1 + 10 * 10  # 10^9 = 2^9 * 5^9


def test_a_table_is_labelled_by_its_caption():
    """The caption is HTML; its label says the same characters, escaped once."""
    assert 'aria-label="The model&#x27;s &amp; other files"' in table_html(
        "The <b>model&#x27;s</b> &amp; other files", ["a"], [["1"]]
    )


def test_json_cannot_end_its_script_element():
    value = {"text": "</script><!--<b>"}

    assert "<" not in json_in_html(value) and json.loads(json_in_html(value)) == value


def test_page_form_needs_neither_torch_nor_anywidget():
    """The book builds from requirements-book.txt alone."""
    code = "import sys; from widgets import registry; registry.html('calculator', {}); print(*sys.modules, sep=chr(10))"
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env)
    loaded = set(run.stdout.split())

    assert "sizing" in loaded and not loaded & {"torch", "anywidget", "traitlets", "ipywidgets", "numpy", "matplotlib"}


# ---- The directive --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    """Build a book of one page with the given text; its messages and its HTML."""
    folder = new_book(tmp_path_factory.mktemp("directive") / "book")
    for path in folder.glob("*.md"):
        path.unlink()
    write_notebook(folder / "lab.ipynb", [glued("residual_curves", CURVES), glued("rows", [1])])

    def build(text: str) -> tuple[str, str]:
        (folder / "index.md").write_text(f"# Page\n\n{text}\n\n```{{toctree}}\n:hidden:\nlab\n```\n", encoding="utf-8")
        built = sphinx(folder)
        page = folder / "_html" / "index.html"
        return re.sub(r"\x1b\[[0-9;]*m", "", built.stderr), page.read_text(encoding="utf-8") if page.exists() else ""

    build.folder = folder
    return build


WRONG_DIRECTIVES = {
    "src/widgets/calc.mjs": "there is no module 'src/widgets/calc.mjs'; in widgets/ there is calculator.mjs, ",
    "src/widgets/heads.mjs\n{\n'a': 1}": "line 2 of the body is not JSON: Expecting property name",
    "src/widgets/heads.mjs\n[1]": "the body must be a JSON object, not '[1]'",
    'src/widgets/heads.mjs\n{"conf": "gpt2"}': "heads has no value called conf; it has config",
    'src/widgets/heads.mjs\n{"config": "gpt4"}': "config='gpt4' is not a preset; use one of small test, gpt2, ",
    "modules/late.mjs\n:css: none.css": "there is no style sheet 'none.css'; in book/ there is nothing like it",
    'src/widgets/residuals.mjs\n{"curves": "lab.ipynb::x"}': "lab.ipynb glues no 'x'; it glues residual_curves, rows",
    'src/widgets/residuals.mjs\n{"curves": "labs.ipynb::x"}': "there is no lab 'labs.ipynb'; in book/ there is lab",
}


@pytest.fixture(scope="module")
def messages_of_wrong_directives(build) -> list[str]:
    """What the build says of a page on which every directive is wrong, and the line where each begins."""
    text = "\n\n".join(f":::{{anywidget}} {directive}\n:::" for directive in WRONG_DIRECTIVES)
    errors, _ = build(text)
    return errors.splitlines()


@pytest.mark.parametrize("directive", WRONG_DIRECTIVES)
def test_wrong_directive_stops_the_build_with_its_line(messages_of_wrong_directives, directive):
    """A wrong name is an error with its line and the names that exist."""
    before = list(WRONG_DIRECTIVES)[: list(WRONG_DIRECTIVES).index(directive)]
    line = 3 + sum(d.count("\n") + 3 for d in before)
    expected = f"index.md:{line}: ERROR: anywidget: {WRONG_DIRECTIVES[directive]}"

    assert any(expected in message for message in messages_of_wrong_directives), messages_of_wrong_directives


def test_module_and_style_are_in_the_page_once(build):
    """Two widgets of one kind share their module; the host comes once; nothing of it is on a page without widgets."""
    heads = ":::{anywidget} src/widgets/heads.mjs\n:::\n\n"
    errors, html = build(heads * 2 + ":::{anywidget} src/widgets/trimming.mjs\n:class: wide\n:::")
    plain = (build.folder / "_html" / "lab.html").read_text(encoding="utf-8")

    assert errors == ""
    assert html.count("// The head splitter:") == 1 and html.count('id="bw-modules"') == 1
    assert html.count("/* The widgets: one family") == 1 and html.index("/* The widgets") < html.index("<body")
    assert html.count('data-module="src/widgets/heads.mjs"') == 2 and 'class="bw-page wide"' in html
    assert "bw-modules" not in plain


def test_incremental_build_sees_a_changed_module(build):
    """A page is written again when a module, the host or the table behind the data changed, and only then."""
    build(":::{anywidget} src/widgets/heads.mjs\n:::")
    folder = build.folder
    untouched = sphinx(folder)
    (folder / "src").unlink()
    subprocess.run(["cp", "-r", str(ROOT / "src"), str(folder / "src")], check=True)
    module = folder / "src" / "widgets" / "shared.mjs"
    module.write_text(module.read_text(encoding="utf-8") + "\n// changed\n", encoding="utf-8")
    changed = sphinx(folder)

    assert "0 added, 0 changed, 0 removed" in untouched.stdout
    assert "0 added, 1 changed, 0 removed" in changed.stdout
    assert "// changed" in (folder / "_html" / "index.html").read_text(encoding="utf-8")


def test_extension_tells_its_version_and_is_parallel_safe():
    class App:
        def add_directive(self, *args): ...
        def connect(self, *args): ...

    told = page_widgets.setup(App())

    assert told == {"version": page_widgets.__version__, "parallel_read_safe": True, "parallel_write_safe": True}


# ---- Live classes ---------------------------------------------------------------------------------------------------


def test_calculator_config_is_a_gpt_config_both_ways():
    """What the page sets arrives as a GPTConfig; what Python sets is sent as the seven fields."""
    calculator = Calculator()
    calculator.set_state({"config": {**state.config_fields(SMALL), "dropout": 0}})
    arrived = calculator.config
    calculator.config = PRESETS["gpt2-xl"]

    assert arrived == SMALL and isinstance(arrived, GPTConfig)
    assert calculator.get_state()["config"] == state.config_fields(PRESETS["gpt2-xl"])


@pytest.mark.parametrize(
    "fields", [{"n_head": 5}, {"n_layer": 0}, {"n_layer": 10**10}, {"n_embd": 8.5}, {"n_embd": "8"}, {"width": 8}]
)
def test_impossible_config_from_the_page_keeps_the_last_good_one(fields):
    calculator = Calculator(SMALL)
    calculator.set_state({"config": {**state.config_fields(SMALL), **fields}})

    assert calculator.config == SMALL


def test_a_live_widget_refuses_a_config_of_another_family():
    with pytest.raises(ValueError, match=r"^config=LlamaConfig\(.*\) is not valid; use the name of a preset"):
        Calculator(LLAMA_PRESETS["llama-2-7b"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda: setattr(Calculator(), "config", "gpt2"), "expected a GPTConfig, not the str 'gpt2'"),
        (lambda: setattr(Walk(), "step", 19), "step=19 is not valid; use an integer from 0 to 18"),
        (lambda: setattr(Trimming(), "kept", 7), "kept=7 is not valid; use an integer from 1 to block_size=6"),
        (lambda: setattr(Residuals(CURVES), "depth", 3), "depth=3 was not measured; use one of 2, 4"),
        (lambda: setattr(Residuals(CURVES), "rule", "x"), "rule='x' was not measured; use one of none, 1/sqrt(2L)"),
    ],
)
def test_wrong_trait_is_refused(change, message):
    with pytest.raises(traitlets.TraitError, match=re.escape(message)):
        change()


@pytest.mark.parametrize("make", [Walk, Training])
def test_a_batch_is_bounded_as_in_the_page(make):
    widget = make(batch_size=state.LARGEST_VALUE)
    with pytest.raises(traitlets.TraitError, match="should not be greater than 1000000000"):
        widget.batch_size += 1

    assert widget.batch_size == state.LARGEST_VALUE


def test_trimming_never_keeps_more_rows_than_there_are():
    """A table that has become shorter is left whole; with a longer one the reader's own number returns."""
    trimming = Trimming(SMALL, kept=5)
    trimming.config = GPTConfig(block_size=3)
    html = trimming._repr_mimebundle_()[0]["text/html"]
    shorter = trimming.trimmed_config
    trimming.config = SMALL

    assert shorter == GPTConfig(block_size=3) and '"kept":3' in html
    assert trimming.kept == 5 and trimming.trimmed_config == replace(SMALL, block_size=5)


def test_every_live_widget_can_be_imported_and_has_a_page_form():
    """A class of ``live`` that a lab cannot get by ``from widgets import NAME`` would go unnoticed."""
    classes = {name: kind for name, kind in vars(live).items() if hasattr(kind, "_module")}

    assert set(widgets._LIVE) == classes.keys()
    assert {kind._module for kind in classes.values()} <= registry.WIDGETS.keys()


@pytest.mark.parametrize("make", [Calculator, Walk, Heads, Trimming, Training, lambda: Residuals(CURVES)])
def test_saved_output_is_the_same_every_time(make):
    """Two runs save the same text and the same page form; only the id of the live view differs, which nbval skips."""
    saved = [make()._repr_mimebundle_()[0] for _ in range(2)]
    for data in saved:
        del data["application/vnd.jupyter.widget-view+json"]

    assert saved[0] == saved[1] and saved[0].keys() == {"text/plain", "text/html"}
    assert "0x" not in saved[0]["text/plain"]


def test_saved_output_shows_what_was_set():
    """The page form starts where the lab's widget stood."""
    walk = Walk("gpt2-medium", batch_size=2)
    walk.step = 3
    html = walk._repr_mimebundle_()[0]["text/html"]
    started = json.loads(re.search(r'<script type="application/json">(.*?)</script>', html)[1])

    assert (started["step"], started["batch_size"]) == (3, 2)
    assert started["config"] == state.config_fields(PRESETS["gpt2-medium"])


def saved_page_forms() -> list[tuple[str, str]]:
    """(name of the widget, HTML) of every page form in the committed labs."""
    forms = []
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            for output in cell.get("outputs", []):
                html = "".join(output.get("data", {}).get("text/html", ""))
                found = re.search(r'data-module="src/widgets/(\w+)\.mjs"', html)
                forms += [(found[1], html)] if found else []
    return forms


def test_page_forms_in_the_labs_are_current():
    """What a lab saved is what its widget would save today; after a change, ``make notebooks`` brings it up to date."""
    forms = saved_page_forms()
    stale = []
    for name, html in forms:
        started = json.loads(re.search(r'<script type="application/json">(.*?)</script>', html)[1])
        values = {key: value for key, value in started.items() if key not in ("data", "page")}
        if name == "residuals":
            values["curves"] = started["data"]["curves"]
        if registry.html(name, values) != html:
            stale.append(name)

    assert "calculator" in [name for name, _ in forms]
    assert stale == []

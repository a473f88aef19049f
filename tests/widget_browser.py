"""What the widget tests share: a small book built from ``tests/books/widgets``, and a browser that keeps a record."""

import functools
import json
import os
import shutil
import subprocess
import sys
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parent.parent
BOOK = ROOT / "tests" / "books" / "widgets"
CHROMIUM_FLAGS = (
    "--no-sandbox --disable-gpu --disable-background-networking --disable-component-update --disable-sync --no-first-run"
).split()

# Shaped like the lab's measurement, with numbers that tell rule and depth apart: twice as much for each further depth.
CURVES = {"depths": [2, 4], "rules": ["none", "1/sqrt(2L)"], "seeds": 5, "C": 64, "curves": {}, "theory": {}}
for _i, _rule in enumerate(CURVES["rules"]):
    for _depth in CURVES["depths"]:
        _mean = [round(0.001 * (1 + k) * _depth / (1 + 2 * _i), 6) for k in range(2 * _depth + 1)]
        CURVES["curves"].setdefault(_rule, {})[str(_depth)] = {"mean": _mean, "std": [v / 10 for v in _mean]}
        CURVES["theory"].setdefault(_rule, {})[str(_depth)] = [v * 1.1 for v in _mean]


def new_book(folder: Path) -> Path:
    """A copy of the test book that finds the project's code and extension inside itself, as the real book does."""
    shutil.copytree(BOOK, folder)
    (folder / "src").symlink_to(ROOT / "src")
    (folder / "_ext").symlink_to(ROOT / "_ext")
    return folder


def write_notebook(path: Path, outputs: list[dict]) -> None:
    """A saved lab of one cell with these outputs."""
    cell = {
        "cell_type": "code",
        "id": "only",
        "execution_count": 1,
        "metadata": {},
        "source": "glue",
        "outputs": outputs,
    }
    heading = {"cell_type": "markdown", "id": "head", "metadata": {}, "source": "# Lab"}
    metadata = {"language_info": {"name": "python", "pygments_lexer": "python"}}
    notebook = {"cells": [heading, cell], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(notebook), encoding="utf-8")


def glued(key: str, value) -> dict:
    """What ``glue(key, json.dumps(value), display=False)`` leaves in a saved lab."""
    return {
        "output_type": "display_data",
        "metadata": {"scrapbook": {"mime_prefix": "application/papermill.record/", "name": key}},
        "data": {"application/papermill.record/text/plain": repr(json.dumps(value))},
    }


def shown(widget) -> dict:
    """What a lab saves when a live widget is the value of a cell."""
    data, metadata = widget._repr_mimebundle_()
    return {"output_type": "display_data", "metadata": metadata, "data": data}


def sphinx(folder: Path) -> subprocess.CompletedProcess:
    """Build the book in ``folder`` to ``folder/_html``, warnings as errors."""
    command = [sys.executable, "-m", "sphinx", "-W", "-n", "--keep-going", "-b", "html", str(folder), str(folder / "_html")]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


@pytest.fixture(scope="session")
def widget_book(tmp_path_factory) -> Path:
    """The folder of the built test book."""
    from widgets import Calculator

    folder = new_book(tmp_path_factory.mktemp("widgets") / "book")
    write_notebook(folder / "lab.ipynb", [glued("residual_curves", CURVES), shown(Calculator("small test"))])
    built = sphinx(folder)
    if built.returncode:
        pytest.fail(built.stdout + built.stderr)
    return folder / "_html"


class _Quiet(SimpleHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/favicon.ico":  # the browser asks by itself; the small theme of the test book has none
            self.send_response(204)
            self.end_headers()
        else:
            super().do_GET()

    def log_message(self, *args):
        pass


@pytest.fixture(scope="session")
def widget_server(widget_book):
    """The address of the test book on a loopback server."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(widget_book)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()


@pytest.fixture(scope="session")
def widget_chromium():
    chromium = shutil.which("chromium") or os.environ.get("CHROMIUM")
    if chromium is None:
        pytest.fail("chromium is not installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_FLAGS)
        yield browser
        browser.close()


@pytest.fixture(params=["server", "file"])
def address(request, widget_book, widget_server) -> str:
    """Both ways to read the book: from a server and from disk."""
    return widget_server if request.param == "server" else widget_book.as_uri()


@pytest.fixture
def open_page(widget_chromium):
    """Open an address in a context of its own; afterwards the console must be clean and no other origin asked."""
    contexts, complaints = [], []

    def open_it(url: str, **options):
        context = widget_chromium.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        context.set_default_timeout(5000)
        contexts.append(context)
        page = context.new_page()
        origin = url.split("/")[2]
        page.on("console", lambda m: m.type in ("warning", "error") and complaints.append(f"{m.type}: {m.text}"))
        page.on("pageerror", lambda error: complaints.append(f"uncaught: {error}"))
        page.on("request", lambda r: _is_foreign(r.url, origin) and complaints.append(f"request: {r.url}"))
        page.goto(url)
        return page

    yield open_it
    for context in contexts:
        context.close()

    assert not complaints, complaints


def _is_foreign(url: str, origin: str) -> bool:
    return not url.startswith(("file:", "blob:", "data:")) and url.split("/")[2] != origin

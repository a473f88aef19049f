"""What the checks of the built pages share: the pages, a server on this machine, a browser that reaches nothing else.

``make test`` builds the book first. ``BOOK_HTML`` names another folder of built pages.
"""

import gzip
import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

ROOT = Path(__file__).parent.parent
CHROMIUM_ARGS = (
    "--no-sandbox --disable-gpu --disable-background-networking --disable-component-update --disable-sync "
    "--disable-dev-shm-usage --no-first-run"
).split()


class GzipHandler(SimpleHTTPRequestHandler):
    """Serve a folder as a web server does: text is compressed on the way."""

    protocol_version = "HTTP/1.1"
    compressed = (".html", ".css", ".js", ".svg", ".json", ".ipynb", ".txt")

    def do_GET(self):
        path = Path(self.translate_path(self.path))
        if path.is_dir():
            path /= "index.html"
        if not path.is_file():
            self.send_error(404)
            return
        body = path.read_bytes()
        self.send_response(200)
        if path.suffix in self.compressed:
            body = gzip.compress(body, mtime=0)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of ``folder`` on a free port of this machine, served by a thread until the block is left."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(GzipHandler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()


def is_here(url: str) -> bool:
    """Whether a request stays on this machine."""
    return url.startswith(("http://127.0.0.1:", "file:", "data:", "blob:", "about:"))


def watch(page: Page) -> list[str]:
    """A list that fills with everything a page should not do: warn, fail, ask another origin, miss a file."""
    faults = []
    page.on("console", lambda m: m.type in ("warning", "error") and faults.append(f"console {m.type}: {m.text}"))
    page.on("pageerror", lambda error: faults.append(f"uncaught: {error}"))
    page.on("request", lambda r: is_here(r.url) or faults.append(f"asks another origin: {r.url}"))
    # A page that is left while its icon is still on the way takes its request back; nothing is missing then.
    page.on("requestfailed", lambda r: "ABORTED" in r.failure or faults.append(f"request failed: {r.url}"))
    page.on("response", lambda r: r.status >= 400 and faults.append(f"status {r.status}: {r.url}"))
    return faults


@pytest.fixture(scope="session")
def book() -> Path:
    """The folder of the built pages."""
    folder = Path(os.environ.get("BOOK_HTML", ROOT / "_build" / "html"))
    if not (folder / "index.html").is_file():
        pytest.fail(f"the book is not built: there is no {folder / 'index.html'}; run make book")
    return folder


@pytest.fixture(scope="session")
def site(book):
    """The address of the built pages on this machine, with compression."""
    with served(book) as address:
        yield address


@pytest.fixture(scope="session")
def browser():
    """A headless Chromium; take pages from ``new_page``, which blocks every other origin."""
    name = os.environ.get("CHROMIUM", "chromium")
    path = shutil.which(name)
    if path is None:
        pytest.fail(f"Chromium is needed, but there is no {name!r}: install it, or set CHROMIUM to where it is")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_ARGS)
        yield browser
        browser.close()


def new_context(browser: Browser, **options) -> BrowserContext:
    """A context with an empty cache, in which nothing but this machine can be reached."""
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
    context.route(lambda url: not is_here(url), lambda route: route.abort())
    return context


@pytest.fixture
def new_page(browser):
    """``new_page(**context options)`` opens a page in a context of its own, closed after the test."""
    contexts = []

    def open_page(**options) -> Page:
        contexts.append(new_context(browser, **options))
        return contexts[-1].new_page()

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture
def open_page(new_page):
    """Open an address in a context of its own; afterwards nothing may have gone wrong on any page opened."""
    watched = []

    def open_it(url: str, **options):
        page = new_page(**options)
        page.set_default_timeout(30_000)
        watched.append(watch(page))
        page.goto(url)
        return page

    yield open_it

    assert not any(watched), watched

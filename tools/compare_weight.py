"""Compare the book's pages with the same pages under Jupyter Book's defaults: bytes, and time to the largest paint.

    python tools/compare_weight.py [PAGE ...]

The defaults are built from the same sources in a folder of their own, with the settings that decide what a page loads
left out. Both are served from this machine with compression and loaded in Chromium, each time with an empty cache, over
an emulated connection of 1.6 Mbit/s with 150 ms of latency. What a page asks of other hosts is not served here: it
counts as failed, with no bytes and no time, which favours the defaults.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml
from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from conftest import CHROMIUM_ARGS, is_here, served  # noqa: E402 (found through the line above)

SOURCES = ("chapters", "notebooks", "src", "_ext", "references.bib", "_toc.yml")
PAGES = ("chapters/index.html", "chapters/counting.html", "chapters/reference.html", "notebooks/counting.html")
LOADS = 3
SLOW = {
    "offline": False,
    "latency": 150,  # ms
    "downloadThroughput": 1_600_000 / 8,  # bytes/s
    "uploadThroughput": 750_000 / 8,
}
# Set by the book to make pages light: without them the defaults hold.
LIGHT_SETTINGS = ("html_math_renderer", "katex_prerender", "katex_css_path", "html_theme_options", "html_context")
LIGHT_EXTENSIONS = ("book", "publish")
LARGEST_PAINT = """() => new Promise(resolve => new PerformanceObserver(
  list => resolve(list.getEntries().at(-1).startTime)
).observe({type: "largest-contentful-paint", buffered: true}))"""


def build_defaults(folder: Path) -> Path:
    """Build the book's sources with Jupyter Book's defaults in ``folder``; the built pages."""
    for name in SOURCES:
        if (ROOT / name).exists():
            (folder / name).symlink_to(ROOT / name)
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    sphinx = config["sphinx"]
    for name in LIGHT_SETTINGS:
        sphinx["config"].pop(name, None)
    for name in LIGHT_EXTENSIONS:
        sphinx["local_extensions"].pop(name, None)
    sphinx["extra_extensions"] = [name for name in sphinx["extra_extensions"] if name != "sphinxcontrib.katex"]
    for name in ("logo", "html"):
        config.pop(name, None)
    (folder / "_config.yml").write_text(yaml.safe_dump(config), encoding="utf-8")
    command = [Path(sys.executable).parent / "jupyter-book", "build", folder, "--quiet"]
    subprocess.run(command, check=True, capture_output=True)
    return folder / "_build" / "html"


def load(browser: Browser, address: str) -> tuple[int, float, int]:
    """(bytes transferred, ms to the largest paint, requests to other hosts) of one cold load over the slow line."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.route(lambda url: not is_here(url), lambda route: route.abort())
    page = context.new_page()
    sizes, foreign = [], []
    page.on("request", lambda request: is_here(request.url) or foreign.append(request.url))
    network = context.new_cdp_session(page)
    network.send("Network.enable")
    network.send("Network.emulateNetworkConditions", SLOW)
    network.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    answer = page.goto(address, wait_until="networkidle", timeout=120_000)
    if not answer.ok:
        raise SystemExit(f"{address} is not built: status {answer.status}")
    paint = page.evaluate(LARGEST_PAINT)
    context.close()
    return sum(sizes), paint, len(foreign)


def measure(browser: Browser, folder: Path, page: str) -> tuple[float, float, int]:
    """The medians of several loads of one page."""
    with served(folder) as address:
        loads = [load(browser, f"{address}/{page}") for _ in range(LOADS)]
    transferred, paint, foreign = zip(*loads, strict=True)
    return statistics.median(transferred), statistics.median(paint), max(foreign)


def main(pages: list[str]) -> None:
    book = ROOT / "_build" / "html"
    if not (book / "index.html").is_file():
        raise SystemExit("the book is not built: run make book")
    chromium = shutil.which(os.environ.get("CHROMIUM", "chromium"))
    if chromium is None:
        raise SystemExit("Chromium is needed: install it, or say where it is with CHROMIUM=/path/to/chromium")
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        defaults = build_defaults(Path(temporary))
        browser = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_ARGS)
        print(f"{'':30}{'this book':>20}{'defaults':>20}{'ratio':>16}{'foreign requests':>20}")
        for page in pages:
            ours, theirs = measure(browser, book, page), measure(browser, defaults, page)
            print(
                f"{page:30}{ours[0] / 1000:>9.0f} kB{ours[1] / 1000:>6.1f} s"
                f"{theirs[0] / 1000:>10.0f} kB{theirs[1] / 1000:>5.1f} s"
                f"{theirs[0] / ours[0]:>8.1f} ×{theirs[1] / ours[1]:>5.1f} ×{ours[2]:>6} and {theirs[2]} failed"
            )
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:] or list(PAGES))

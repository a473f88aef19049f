"""The calculator in a real JupyterLab: the page moves the trait, and the trait moves the page."""

import json
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

from conftest import ROOT

CELLS = (
    "from gpt_config import PRESETS\nfrom widgets import Calculator\ncalculator = Calculator('small test')\ncalculator",
    "print('layers', calculator.config.n_layer, type(calculator.config).__name__)",
    "calculator.config = PRESETS['gpt2-xl']",
)


@pytest.fixture
def jupyterlab(tmp_path):
    """The address of a JupyterLab on loopback, with a token of its own, and one notebook in its folder."""
    cells = [
        {"cell_type": "code", "id": f"c{i}", "execution_count": None, "metadata": {}, "source": s, "outputs": []}
        for i, s in enumerate(CELLS)
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    work = tmp_path / "work"
    work.mkdir()
    notebook = {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    (work / "lab.ipynb").write_text(json.dumps(notebook))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    token = secrets.token_hex(16)
    env = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "src"),
        "JUPYTER_CONFIG_DIR": str(tmp_path / "config"),
        "JUPYTER_DATA_DIR": str(tmp_path / "data"),
        "JUPYTER_RUNTIME_DIR": str(tmp_path / "runtime"),
        "JUPYTER_TOKEN": token,
    }
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}"]
    command += ["--ServerApp.port_retries=0", f"--ServerApp.root_dir={work}"]
    command += ["--LabApp.news_url=None", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    address = f"http://127.0.0.1:{port}"
    with open(tmp_path / "log", "w") as log:
        server = subprocess.Popen(command, env=env, stdout=log, stderr=log)
    try:
        _wait_for(f"{address}/api?token={token}", server, tmp_path / "log")
        yield f"{address}/lab/tree/lab.ipynb?token={token}"
    finally:
        server.terminate()
        server.wait(20)


def _wait_for(url: str, server: subprocess.Popen, log) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and server.poll() is None:
        try:
            urllib.request.urlopen(url, timeout=2)
            return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.3)
    pytest.fail(f"JupyterLab did not start:\n{log.read_text()}")


def test_slider_moves_the_trait_and_the_trait_moves_the_slider(jupyterlab, new_page):
    page = new_page(viewport={"width": 1400, "height": 1000})
    page.set_default_timeout(60_000)
    page.goto(jupyterlab)

    def run(cell: int) -> None:
        page.locator(".jp-CodeCell").nth(cell).locator(".jp-InputArea-editor").click()
        page.keyboard.press("Shift+Enter")

    page.locator(".jp-CodeCell").nth(2).wait_for()
    page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").first.wait_for()
    run(0)
    total = page.locator(".bw-total strong")
    total.wait_for()
    assert total.inner_text() == "1,864"
    assert page.get_by_role("link", name="Link to this configuration").count() == 0  # a lab has no page to reopen

    slider = page.get_by_role("slider", name="L layers")
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert total.inner_text() == "2,736"  # one more block of 768 + 104
    run(1)
    page.get_by_text("layers 3 GPTConfig", exact=True).wait_for()

    run(2)
    page.locator(".bw-total strong", has_text="1,557,611,200").wait_for()
    assert slider.get_attribute("aria-valuetext") == "48 layers"
    assert page.locator("input[aria-label^='C, ']").input_value() == "1,600"
    page.screenshot(path="/tmp/bw/lab.png")

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
from dataclasses import replace

import pytest

from conftest import ROOT
from gpt_config import PRESETS
from sizing import count_parameters

XL_WITH_47_LAYERS = replace(PRESETS["gpt2-xl"], n_layer=47)
LAB = ROOT / "notebooks" / "counting.ipynb"
ADDED = (
    "calculator.config = PRESETS['gpt2-xl']",
    "print('layers', calculator.config.n_layer, type(calculator.config).__name__)",
)


@pytest.fixture
def jupyterlab(tmp_path):
    """The address of a JupyterLab on loopback, with a token of its own, and in it the lab that has the calculator.

    Two cells are added at the end of the lab: one sets the configuration in Python, one reads it.
    """
    notebook = json.loads(LAB.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell.update(outputs=[], execution_count=None)
    notebook["cells"] += [
        {"cell_type": "code", "id": f"added{i}", "execution_count": None, "metadata": {}, "source": text, "outputs": []}
        for i, text in enumerate(ADDED)
    ]
    work = tmp_path / "work"
    work.mkdir()
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
    """The whole lab runs; Python then moves the calculator, and the keyboard in the page moves Python's config."""
    page = new_page(viewport={"width": 1400, "height": 1000})
    page.set_default_timeout(120_000)
    page.goto(jupyterlab)
    page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()  # before that, JupyterLab would ask for a kernel
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    page.get_by_text("layers 48 GPTConfig", exact=True).wait_for()
    total = page.locator(".bw-total strong")
    slider = page.get_by_role("slider", name="L layers")
    total.scroll_into_view_if_needed()  # JupyterLab does not lay out what is far from the window

    assert page.locator(".jp-OutputArea-output[data-mime-type='application/vnd.jupyter.error']").count() == 0
    # Not inner_text: JupyterLab does not draw a cell that is out of sight.
    assert total.text_content() == "1,557,611,200" and slider.get_attribute("aria-valuetext") == "48 layers"
    assert page.get_by_role("link", name="Link to this configuration").count() == 0  # a lab has no page to reopen

    slider.focus()
    page.keyboard.press("ArrowLeft")
    page.locator(".bw-total strong", has_text=f"{count_parameters(XL_WITH_47_LAYERS):,}").wait_for()
    page.locator(".jp-CodeCell").last.locator(".jp-InputArea-editor").click()
    page.keyboard.press("Shift+Enter")
    page.get_by_text("layers 47 GPTConfig", exact=True).wait_for()

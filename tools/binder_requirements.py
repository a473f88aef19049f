"""Write .binder/requirements.txt: what running the labs needs and no more, with the pins of requirements.txt.

The packages are found by following what the installed ones declare that they need, so run it in the full environment.
"""

import re
from importlib.metadata import requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
TARGET = ROOT / ".binder" / "requirements.txt"
# What the labs import, and the program that runs them.
WANTED = ("torch", "matplotlib", "ipywidgets", "anywidget", "jupyterlab")
HEADER = """\
# What running the labs needs, exactly; written by tools/binder_requirements.py from requirements.txt.
# The build of torch for Linux is the one for CPUs: the general package index has only one of several GB.
--extra-index-url https://download.pytorch.org/whl/cpu
"""


def pins() -> dict[str, str]:
    """{canonical name: version} of both requirements files."""
    found = {}
    for name in ("requirements-book.txt", "requirements.txt"):
        for line in (ROOT / name).read_text(encoding="utf-8").splitlines():
            if pin := re.fullmatch(r"([\w.-]+)==(\S+)", line):
                found[canonicalize_name(pin[1])] = pin[2]
    return found


def needed(names: tuple[str, ...]) -> set[str]:
    """The packages and all that they need in turn on this machine, with the extras that are asked for on the way."""
    found = {}  # for each package the extras that were followed; "" is none
    waiting = [(canonicalize_name(name), {""}) for name in names]
    while waiting:
        name, extras = waiting.pop()
        new = extras - found.setdefault(name, set())
        found[name] |= new
        for text in requires(name) or ():
            requirement = Requirement(text)
            if any(requirement.marker is None or requirement.marker.evaluate({"extra": extra}) for extra in new):
                waiting.append((canonicalize_name(requirement.name), {"", *requirement.extras}))
    return set(found)


def requirements() -> str:
    """The text of the file. Raises ValueError for a package that is needed and has no pin."""
    versions = pins()
    names = sorted(needed(WANTED))
    if loose := [name for name in names if name not in versions]:
        raise ValueError(f"requirements.txt pins no version of {', '.join(loose)}, which the labs need")
    lines = [f"{name}=={versions[name]}" for name in names if name != "torch"]
    return HEADER + "\n".join([f'torch=={versions["torch"]}+cpu; sys_platform == "linux"', *lines]) + "\n"


if __name__ == "__main__":
    TARGET.write_text(requirements(), encoding="utf-8")

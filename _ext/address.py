"""Where the book lives: the addresses of its repository and of its site. The book works without either."""

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

BRANCH = "main"
_GITHUB = re.compile(r"(?:https://(?:[^@/]+@)?|ssh://git@|git@)github\.com[/:]([\w.-]+)/([\w.-]+?)(?:\.git)?/?")


@dataclass(frozen=True)
class Repository:
    """A repository on GitHub, the one host that Binder, Colab, Pages and the issue form of this book all work with."""

    owner: str
    name: str

    @property
    def url(self) -> str:
        return f"https://github.com/{self.owner}/{self.name}"

    def binder(self, lab: str) -> str:
        """Where Binder opens a lab, given its path in the repository, in JupyterLab."""
        return f"https://mybinder.org/v2/gh/{self.owner}/{self.name}/{BRANCH}?urlpath=lab/tree/{lab}"

    def colab(self, lab: str) -> str:
        return f"https://colab.research.google.com/github/{self.owner}/{self.name}/blob/{BRANCH}/{lab}"

    def edit(self, path: str) -> str:
        return f"{self.url}/edit/{BRANCH}/{path}"

    def report(self, page: str) -> str:
        """The form for a mistake, with the page filled in."""
        return f"{self.url}/issues/new?template=mistake.yml&page={page}"


def repository(root: Path) -> Repository | None:
    """The repository named by BOOK_REPOSITORY (empty: none), else by the remote ``origin`` of the checkout at root.

    Raises ValueError if BOOK_REPOSITORY is no address on GitHub; another kind of origin counts as none.
    """
    given = os.environ.get("BOOK_REPOSITORY")
    address = _origin(root) if given is None else given
    match = _GITHUB.fullmatch(address)
    if given and not match:
        raise ValueError(f"BOOK_REPOSITORY is {given!r}; it must look like https://github.com/OWNER/NAME")
    return Repository(*match.groups()) if match else None


def site() -> str | None:
    """The address of the published book, with a slash at its end, named by BOOK_SITE.

    Raises ValueError if it is no address.
    """
    given = os.environ.get("BOOK_SITE", "")
    if given and not re.fullmatch(r"https?://[\w.:-]+(/[\w./~-]*)?", given):
        raise ValueError(f"BOOK_SITE is {given!r}; it must look like https://OWNER.github.io/NAME/")
    return given.rstrip("/") + "/" if given else None


def _origin(root: Path) -> str:
    """The address of the remote ``origin``; empty where there is no git, no checkout or no such remote."""
    try:
        run = subprocess.run(["git", "-C", root, "remote", "get-url", "origin"], capture_output=True, text=True)
    except FileNotFoundError:
        return ""
    return run.stdout.strip()

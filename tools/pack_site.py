"""Check that the built site is whole and pack it: `pack_site.py BUILT_PAGES ZIP`.

The zip reads from disk, without a server; it holds no dates, so that equal pages give an equal file.
"""

import re
import sys
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import yaml

ROOT = Path(__file__).parent.parent
# The zip is not in itself, so the copy of the first page that is packed offers no zip.
ONLY_ONLINE = re.compile(r'<span class="only-online">.*?</span>', re.DOTALL)


def missing(html: Path) -> list[str]:
    """What a whole site has and this one lacks, as paths in it."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    pages = [toc["root"], *(entry["file"] for part in toc["parts"] for entry in part["chapters"])]
    wanted = ["index.html", "404.html", "search.html", "searchindex.js", *(f"{page}.html" for page in pages)]
    for page in pages:
        if page.startswith("notebooks/"):
            stem = Path(page).name
            wanted += [f"downloads/lab-{stem}.ipynb", f"downloads/lab-{stem}.py"]
    first = ONLY_ONLINE.sub("", (html / f"{toc['root']}.html").read_text(encoding="utf-8"))
    links = re.findall(r'href="\.\./(downloads/[^"]+)"', first)
    return [path for path in wanted + links if not (html / path).is_file()]


def pack(html: Path, target: Path) -> None:
    """Write every file of the folder html to the zip target, in one folder of the zip's name; not Sphinx's own note."""
    left_out = (target.resolve(), html.resolve() / ".buildinfo")
    files = sorted(path for path in html.rglob("*") if path.is_file() and path.resolve() not in left_out)
    with ZipFile(target, "w", ZIP_DEFLATED, compresslevel=9) as archive:
        for path in files:
            data = path.read_bytes()
            if path.suffix == ".html":
                data = ONLY_ONLINE.sub("", data.decode("utf-8")).encode("utf-8")
            entry = ZipInfo(f"{target.stem}/{path.relative_to(html).as_posix()}", (1980, 1, 1, 0, 0, 0))
            entry.compress_type = ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data)


if __name__ == "__main__":
    built, archive = map(Path, sys.argv[1:])
    if lost := missing(built):
        sys.exit(f"{built} is not whole; it lacks {', '.join(lost)}")
    pack(built, archive)

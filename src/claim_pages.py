"""What the claims widget is handed in a page, and its static twin: every statement with its verdict."""

from html import escape

from claims import CLAIMS, MISTAKES, VERDICTS
from widgets.page import table_html

LAB = "../notebooks/claims.html"


def claims(claims: list[dict]) -> dict:
    """The state of the widget, with the statements as the lab filled them.

    Raises:
        ValueError: the lab's statements are not those of ``claims.py``.
    """
    fields = ("id", "topic", "statement", "verdict", "mistake", "cell")
    if not isinstance(claims, list):
        raise ValueError(f"claims={claims!r} is not valid; use a list of dicts with {', '.join(fields)}, reason")
    for given, claim in zip(claims, CLAIMS, strict=False):
        if not isinstance(given, dict):
            raise ValueError(f"claims has {given!r}, which is not valid; use dicts with {', '.join(fields)}, reason")
        stale = [name for name in fields if given.get(name) != getattr(claim, name)]
        if stale:
            differs = ", ".join(stale)
            raise ValueError(f"the lab's claim {claim.id!r} differs from claims.py in {differs}; run make notebooks")
        if not isinstance(given.get("reason"), str):
            raise ValueError(f"the lab's claim {claim.id!r} has no reason; run make notebooks")
    if len(claims) != len(CLAIMS):
        raise ValueError(f"the lab has {len(claims)} claims and claims.py has {len(CLAIMS)}; run make notebooks")
    data = {"claims": claims, "verdicts": list(VERDICTS), "mistakes": MISTAKES, "lab": LAB}
    return {"answers": {}, "current": 0, "data": data}


def claims_twin(state: dict) -> str:
    """All statements with verdict, reason and a link to the deciding cells, one table for each topic."""
    claims = state["data"]["claims"]
    tables = []
    for topic in dict.fromkeys(claim["topic"] for claim in claims):
        rows = [
            [
                f'<span id="claim-{claim["id"]}">{escape(claim["statement"])}</span>',
                f"<strong>{escape(claim['verdict'])}</strong>",
                f'{escape(claim["reason"])} <a href="{LAB}#{claim["cell"]}">Lab</a>',
            ]
            for claim in claims
            if claim["topic"] == topic
        ]
        tables.append(table_html(escape(topic), ["the article says", "verdict", "what is so"], rows))
    return "\n".join(tables)

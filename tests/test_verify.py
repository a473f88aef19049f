"""verify_mechanics says what it measured, fails when a statement fails, and agrees with the labs."""

import json
from dataclasses import replace

import pytest

import verify_mechanics


@pytest.fixture(scope="module")
def checks():
    return verify_mechanics.run_checks()


def test_every_statement_holds(checks):
    assert [check for check in checks if not check.holds] == []


def test_every_section_is_covered_and_every_key_is_unique(checks):
    assert {check.section for check in checks} == {"4.1", "4.2", "4.3", "4.4", "exercises"}
    assert len({check.key for check in checks}) == len(checks)


def test_the_command_writes_what_it_measured(checks, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(verify_mechanics, "run_checks", lambda: checks)

    assert verify_mechanics.main() == 0
    saved = json.loads((tmp_path / "mechanics.json").read_text(encoding="utf-8"))
    assert saved["tiny_unique"] == {"section": "4.2", "statement": "parameters of the small test", "measured": 1864}
    assert len(saved) == len(checks)
    assert capsys.readouterr().out.count("\n") == len(checks) + 1


def test_one_false_statement_fails_the_command(checks, tmp_path, monkeypatch, capsys):
    broken = [replace(checks[0], measured="something else"), *checks[1:]]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(verify_mechanics, "run_checks", lambda: broken)

    assert verify_mechanics.main() == 1
    assert capsys.readouterr().out.startswith("FAIL")

"""The command that serves a file of requests: answers whole, or refusals with nothing written."""

import json
from pathlib import Path

import pytest

from scripts.serving.__main__ import main


def test_a_file_of_requests_is_answered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = [{"prompt": "It is a truth", "most_tokens": 5}, {"prompt": "Emma", "name": "second"}]
    (tmp_path / "in.jsonl").write_text("\n".join(map(json.dumps, asked)))
    paths = [str(tmp_path / "in.jsonl"), str(tmp_path / "out.jsonl")]
    assert main([*paths, "--draft", "lookup", "--cache", "int8"]) == 0
    answers = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [(each["name"], each["tokens"]) for each in answers] == [("1", 5), ("second", 32)]
    assert all(each["answer"] and each["seconds_to_first_token"] > 0 for each in answers)
    assert capsys.readouterr().out.startswith("2 answers, 37 tokens in ")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('{"prompt": "a"}\n{"text": "b"}', "in.jsonl:2: no request: unknown: text"),
        ('{"prompt": "a", "most_tokens": 600}', "request 1: needs 601 positions"),
        ('{"prompt": "a", "name": "x"}\n\n{"prompt": "b", "name": "x"}', ":3: a second request x"),
        ("[1]", "in.jsonl:1: no request"),
    ],
)
def test_what_cannot_be_served_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], lines: str, message: str
) -> None:
    (tmp_path / "in.jsonl").write_text(lines)
    assert main([str(tmp_path / "in.jsonl"), str(tmp_path / "out.jsonl")]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out.jsonl").exists()

"""Programs that can be changed print in JavaScript what Python prints, as they stand and changed."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.javascript.programs import ENTRIES, EXAMPLES, entry, programs
from scripts.javascript.translated_sources import ROOT
from tests.javascript.engine import run

NUMPY = re.compile(
    r"^(?:import|from) (?:numpy|torch)|snippets\.(?:quantization|counted_kernels) ", re.MULTILINE
)


def printed(text: str) -> str:
    """What Python prints for a program's text."""
    done = subprocess.run([sys.executable, "-c", text], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def changed(text: str, fields, values: list[str]) -> str:
    """A program's text with other values in its fields, a name everywhere it is used."""
    lines = text.splitlines(keepends=True)
    for field, value in reversed(list(zip(fields, values, strict=True))):
        line = lines[field.line - 1]
        assert line[field.column :].startswith(field.text)
        if not field.module:
            lines[field.line - 1] = (
                line[: field.column] + value + line[field.column + len(field.text) :]
            )
    text = "".join(lines)
    for field, value in zip(fields, values, strict=True):
        if field.module and value != field.text:
            text = re.sub(rf"\b{field.text}\b", value, text)
    return text


def runs(folder: Path, cases: list[tuple[str, list[str]]]) -> list[str]:
    """What the modules print, each for its fields' values."""
    for name, each in programs().items():
        (folder / f"{name}.mjs").write_text(each.module, encoding="utf-8")
    given = []
    for name, values in cases:
        held = []
        for field, value in zip(programs()[name].fields, values, strict=True):
            if field.module:
                file = folder / f"entry-{value}.mjs"
                file.write_text(entry(ENTRIES[field.module][value]), encoding="utf-8")
                held.append({"entry": str(file)})
            else:
                held.append({"number": value})
        given.append([str(folder / f"{name}.mjs"), held])
    asked = folder / "cases.json"
    asked.write_text(json.dumps(given))
    return json.loads(
        run(f"""
        import {{ readFileSync }} from "node:fs";
        const found = [];
        for (const [file, held] of JSON.parse(readFileSync({str(asked)!r}, "utf8"))) {{
          const python = await import(file);
          const values = await Promise.all(held.map(async ({{ entry, number }}) =>
            entry ? (await import(entry)).default(python.$Dict) : python.loads(number)));
          found.push(python.run(values).map((line) => `${{line}}\\n`).join(""));
        }}
        console.log(JSON.stringify(found));
        """)
    )


def test_every_program_over_the_snippets_alone_can_be_changed() -> None:
    plain = [
        p.stem
        for p in (ROOT / EXAMPLES).glob("[a-z]*.py")
        if not NUMPY.search(p.read_text("utf-8"))
    ]
    assert sorted(plain) == sorted(programs())
    assert len(plain) >= 24


def test_as_they_stand_they_print_what_python_prints(tmp_path: Path) -> None:
    cases = [(name, [field.text for field in each.fields]) for name, each in programs().items()]
    for (name, _), found in zip(cases, runs(tmp_path, cases), strict=True):
        assert found == printed(programs()[name].text), name


OTHERS = {
    "snippets.hardware": "h200_sxm",
    "snippets.models": "mixtral_8x7b",
    "snippets.weight_formats": "int8_g32",
}


@pytest.mark.parametrize("name", [name for name, each in programs().items() if each.fields])
def test_changed_they_print_what_python_prints(tmp_path: Path, name: str) -> None:
    """Each number by itself one more, or half as much again; each card, model and format another one."""
    fields = programs()[name].fields
    own = [field.text for field in fields]
    cases, expected = [], []
    for at, field in enumerate(fields):
        other = OTHERS.get(field.module) if field.module else _more(field.text)
        if other is None or other in own:
            continue
        values = [*own[:at], other, *own[at + 1 :]]
        try:
            expected.append(printed(changed(programs()[name].text, fields, values)))
        except AssertionError:
            continue  # Python refuses it
        cases.append((name, values))
    assert runs(tmp_path, cases) == expected


def _more(text: str) -> str:
    return str(int(text) + 1) if text.isdigit() else repr(float(text) * 1.5)

"""Python's meaning, operator by operator; and what lies outside of the subset is refused, with its place."""

import math
import random
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from scripts.core.faults import BadInput
from scripts.javascript import translated_sources
from scripts.javascript.assets import assets
from scripts.javascript.bundle import Expression, bundle
from tests.javascript.engine import Wire, run
from tests.javascript.test_differential import KINDS

PAIRS = 1500
OPERATIONS = """
a + b
a - b
a * b
a / b
a // b
a % b
-a
abs(a)
round(a)
math.ceil(a)
math.floor(a)
math.isfinite(a)
math.frexp(a)
math.copysign(a, b)
math.log2(a)
math.log10(a)
math.sqrt(a)
math.erf(a)
a < b
a <= b
a > b
a >= b
a == b
a != b
0 <= a < b
not a
a and b
a or b
3 if a else 5
min(a, b)
max(a, b)
max([a, b, 3], key=lambda each: -each)
min([], default=a)
max([])
sum([a, b, a])
sum(each for each in [a, b] if each > 0)
sorted([a, b, 2])
any([a, b])
all([a, b])
len([a, b])
a in (b, 1, 2.5)
f"{a:.0f} {a:.1f} {a:+.4f}"
f"{a:.1%} {a:>12.0%}"
f"{a:.3g} {a:.5g} {a:g}"
f"{a:,.2f} {a:<20,.0f}|"
f"{a:.2e} {a:>30} {a:^31}"
a not in [b]
a is None
[a, b][-1]
[a, b][1:]
[a, b, 7][-2:]
[a] + [b]
[a] * 3
(a, b) == (b, a)
(a, 2) < (b, 1)
{a: 1, b: 2}[b]
{a: 1}[b]
{1: a, 2: b} | {2: a}
{**{1: a}, 3: b}
dict.fromkeys([a, b], 7)
[(i, each) for i, each in enumerate([a, b])]
{each: i for i, each in enumerate([a, b])}
[x for row in [[a], [b]] for x in row]
[each for each in reversed([a, b])]
isinstance(a, int)
isinstance(a, int | float)
float(a)
f"{a} and {b}"
f"{a:,}"
f"{a:g}"
f"{a:.3g}"
f"{a!r}"
str(a)
""".strip().splitlines()
LIMITED = ("a ** b", "a ** 2", "2.0 ** a", "2 ** b", "[*range(b)]", "[*range(b, 9)]", "3 << b")
NUMBERS = (0, 1, -1, 2, -7, 10, 2**31, 2**53 + 1, -(10**20), 0.0, -0.0, 0.5, 1.5, 2.5, -2.5, -7.5)
NUMBERS += (
    1e16,
    123456.5,
    1e-5,
    1e300,
    5e-324,
    0.1,
    float("inf"),
    float("-inf"),
    float("nan"),
    True,
)


def number(draw: random.Random) -> float:
    if draw.random() < 0.4:
        return draw.choice(NUMBERS)
    if draw.random() < 0.5:
        return draw.randint(-(10 ** draw.randint(0, 25)), 10 ** draw.randint(0, 25))
    return draw.choice((1, -1)) * 10 ** draw.uniform(-20, 20)


def small(draw: random.Random) -> float:
    return draw.choice((draw.randint(-9, 30), draw.uniform(-3, 30), 0, 1, 2.5))


def compare(tmp_path: Path, operations: list[str], drawn: Callable[[random.Random], float]) -> None:
    """Each operation in Python and in JavaScript."""
    named = {f"f{i}": Expression(text, ("a", "b")) for i, text in enumerate(operations)}
    module = tmp_path / "operations.mjs"
    module.write_text(bundle({}, expressions=named, also=["$Dict"]), encoding="utf-8")
    wire = Wire(module)
    draw = random.Random(3)
    for name, wanted in named.items():
        code = compile(wanted.text, wanted.text, "eval")
        for _ in range(PAIRS):
            a, b = drawn(draw), drawn(draw)
            message = {"function": name, "positional": [wire.encode(a), wire.encode(b)]}
            try:
                value = eval(code, {"math": math, "a": a, "b": b})
            except Exception as error:
                kind = type(error).__name__
                message["refusal"] = [KINDS.get(kind, kind), str(error)]
            else:
                if isinstance(value, complex):
                    continue
                message["value"] = wire.encode(value)
            wire.send(message)
    results = wire.results()
    differ = {named[name].text: result["differ"] for name, result in results.items()}
    assert not {text: found for text, found in differ.items() if found}
    assert results.keys() == named.keys()


def test_operations_mean_what_they_mean_in_python(tmp_path: Path) -> None:
    compare(tmp_path, OPERATIONS, number)


def test_powers_and_ranges_mean_what_they_mean_in_python(tmp_path: Path) -> None:
    compare(tmp_path, list(LIMITED), small)


REFUSED = {
    "import numpy as np\n\n\ndef f(x: float) -> float:\n    return x\n": "1: it imports numpy",
    "def f(x: float) -> float:\n    with x:\n        return 1\n": "2: the statement With",
    "def f(x: float) -> float:\n    y = x\n    return y @ y\n": "3: the operator MatMult",
    "def f(x: float) -> float:\n    return {x}\n": "2: a Set",
    "def f(x: float) -> str:\n    return f'{x:#.3f}'\n": "2: the format '#.3f'",
    "def f(x: float) -> float:\n    return eval(x)\n": "2: this call of eval",
    "def f(x: float) -> float:\n    return x.hex()\n": "2: the method hex",
    "def f(x: float) -> bool:\n    return x is x\n": "2: `is`",
    "def f(x: float) -> bool:\n    return 0 < g(x) < 1\n\n\ndef g(x: float) -> float:\n    return x\n": (
        "2: a chain of comparisons around a computed value"
    ),
    "def f(x: float) -> float:\n    return g(y=x)\n\n\ndef g(x: float) -> float:\n    return x\n": (
        "2: g has no parameter y"
    ),
    "import math\n\n\ndef f(x: float) -> float:\n    return math.gamma(x)\n": "5: math.gamma",
    "from math import ceil\n\n\ndef f(x: float) -> float:\n    return ceil(x)\n": (
        "5: ceil without its module"
    ),
    "def f(x: float) -> float:\n    return len\n": "2: len as a value",
    "class C:\n    x: int\n\n\ndef f(x: float) -> float:\n    return C()\n": "1: a class",
}


@pytest.mark.parametrize(("source", "said"), REFUSED.items(), ids=REFUSED.values())
def test_what_has_no_translation_stops_the_build_with_file_line_and_remedy(
    source: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"refused_{abs(hash(source))}"
    (tmp_path / "snippets").mkdir()
    (tmp_path / f"snippets/{name}.py").write_text(textwrap.dedent(source), encoding="utf-8")
    monkeypatch.setattr(translated_sources, "ROOT", tmp_path)
    monkeypatch.setattr("scripts.javascript.statements.value_of", lambda place: int)
    with pytest.raises(BadInput) as caught:
        bundle({"f": f"snippets.{name}.f"})
    line, _, message = said.partition(": ")
    fault = caught.value.fault
    assert (fault.path, fault.line) == (f"snippets/{name}.py", int(line))
    assert message in fault.message
    assert fault.remedy


def test_only_what_is_reached_is_written() -> None:
    text = bundle({"decode_ceiling": "snippets.bandwidth.decode_ceiling"})
    assert "require_positive" in text
    assert "roofline" not in text
    assert "$sorted" not in text
    assert bundle({"decode_ceiling": "snippets.bandwidth.decode_ceiling"}) == text


def test_the_same_sources_give_the_same_files() -> None:
    assert assets() == assets()


def test_json_is_read_and_written_as_python_does(tmp_path: Path) -> None:
    module = tmp_path / "json.mjs"
    module.write_text(bundle({}, also=["dumps", "loads"]), encoding="utf-8")
    text = (
        '{"a": [1, 1.0, 1e22, -0.0, 1E-7, true, null, "\\u00e9 \\"x\\" [1,2]"], "b": {}, "c": []}'
    )
    script = f"""
    const {{ dumps, loads }} = await import({str(module)!r});
    console.log(dumps(loads(process.argv.at(-1))));
    """
    import json

    assert run(script, text).rstrip("\n") == json.dumps(json.loads(text), indent=2)


def test_names_that_javascript_keeps_for_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = """
    def new(default: float, *var: float, this: float = 2) -> float:
        Map = [each for each in var if each != default]
        total = this
        for let in Map:
            total += let
        return total


    def f() -> float:
        return new(1, 1, 5, this=3) + new(default=7)
    """
    (tmp_path / "snippets").mkdir()
    (tmp_path / "snippets/own_words.py").write_text(textwrap.dedent(source), encoding="utf-8")
    monkeypatch.setattr(translated_sources, "ROOT", tmp_path)
    module = tmp_path / "own_words.mjs"
    module.write_text(bundle({"f": "snippets.own_words.f"}), encoding="utf-8")
    printed = run(f"const {{ f }} = await import({str(module)!r}); console.log(String(f()));")
    assert printed == "10\n"

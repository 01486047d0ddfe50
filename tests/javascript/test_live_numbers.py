"""Expressions of live passages as functions of a card and a model."""

import gzip
import json
import random
from pathlib import Path

from scripts.javascript.live_numbers import assumed, live_module
from scripts.javascript.translated_sources import ROOT
from scripts.proof.written import parse_written
from scripts.site.live_marks import shown
from snippets.hardware import ACCELERATORS, usable_memory
from snippets.inference_plan import InferencePlan, inference_memory
from snippets.model_parameters import total_parameters
from snippets.models import MODELS, Model
from snippets.weight_formats import q4_0
from tests.javascript.engine import run


def test_a_figure_that_is_not_published_is_null(tmp_path: Path) -> None:
    module = tmp_path / "live.mjs"
    expressions = {
        "peak": "h100_sxm.dense_fp16",
        "balance": "balance_point(h100_sxm.dense_fp16, h100_sxm.memory_bandwidth)",
        "bytes": "weight_bytes(total_parameters(llama_3_1_8b), FP16.bytes)",
    }
    module.write_text(live_module(expressions), encoding="utf-8")
    cards = [list(ACCELERATORS).index(slug) for slug in ("rtx-4090", "gaudi-3")]
    script = f"""
    const live = await import({str(module)!r});
    const cards = {cards}.map(live.card);
    const model = live.model({list(MODELS).index("gpt2")});
    const found = cards.flatMap((card) => [live.peak(card, model), live.balance(card, model)]);
    console.log(JSON.stringify([...found, Number(live.bytes(undefined, model))]));
    """
    assert json.loads(run(script)) == [165.2e12, 165.2e12 / 1.008e12, None, None, 124439808 * 2]


def test_every_figure_that_the_module_holds_is_pythons(tmp_path: Path) -> None:
    module = tmp_path / "live.mjs"
    whole = "inference_memory(InferencePlan(model=llama_3_1_8b, weights=q4_0, tokens=7)).total"
    module.write_text(live_module({"p_1": whole, "p_2": "h100_sxm.memory"}), encoding="utf-8")
    counts = f"[{len(ACCELERATORS)}, {len(MODELS)}]"
    script = f"""
    const live = await import({str(module)!r});
    const all = (kind, count) => Array.from({{ length: count }}, (_, at) => live[kind](at));
    const said = (name, value) => (typeof value === "bigint" ? `${{value}}n` : value);
    const [cards, models] = {counts};
    console.log(JSON.stringify([all("card", cards), all("model", models)], said));
    """
    cards, models = json.loads(run(script))
    for held, entries in ((cards, ACCELERATORS), (models, MODELS)):
        for figures, entry in zip(held, entries.values(), strict=True):
            assert figures
            for name, value in figures.items():
                if name in ("usable", "take"):
                    assert (
                        value
                        == (usable_memory(entry) if name == "usable" else taken(entry)) // 10**6
                    )
                    continue
                own = wanted(entry) if name == "c0" else getattr(entry, name)
                whole_number = isinstance(own, int) and not isinstance(own, bool)
                assert value == (f"{own}n" if whole_number else own)
    assert models[0].keys() == {"c0", "take"}


def taken(model: Model) -> int:
    return 2 * total_parameters(model)


def wanted(model: Model) -> float:
    return inference_memory(InferencePlan(model=model, weights=q4_0, tokens=7)).total


def test_a_refusal_stays_one_without_its_text(tmp_path: Path) -> None:
    module = tmp_path / "live.mjs"
    text = live_module({"p_1": "transfer_seconds(h100_sxm.memory_bandwidth - 3.35e12, 1)"})
    module.write_text(text, encoding="utf-8")
    assert "must be" not in text
    script = f"""
    const live = await import({str(module)!r});
    try {{
      live.p_1(live.card({list(ACCELERATORS).index("h100-sxm")}));
    }} catch (error) {{
      console.log(JSON.stringify(error.constructor.name));
    }}
    """
    assert json.loads(run(script)) == "ValueError"


def test_only_what_the_expressions_reach_is_written() -> None:
    text = live_module({"p_1": "h100_sxm.memory"})
    assert "total_parameters" not in text
    assert live_module({"p_1": "h100_sxm.memory"}) == text
    assert len(gzip.compress(text.encode(), 9)) < 2_000


def test_what_an_expression_assumes() -> None:
    assert assumed("f(h100_sxm.memory, llama_3_1_8b, FP16)") == ("h100_sxm", "llama_3_1_8b")
    assert assumed("2**10") == ("", "")


WRITTEN = [
    "209",
    "3,350 GB/s",
    "8 billion",
    "0.27 GB",
    "80 GiB",
    "5%",
    "0.080 ms",
    "16.25 s",
    "1.7 times",
]


def test_a_page_writes_numbers_as_python_does(tmp_path: Path) -> None:
    drawing = random.Random(7)
    cases, expected = [], []
    for _ in range(5_000):
        text = drawing.choice(WRITTEN)
        written = parse_written(text)
        value: float = drawing.choice([-1, 1]) * 10 ** drawing.uniform(-6, 8) * written.scale
        kind = drawing.random()
        if kind < 0.2:
            value = drawing.randint(0, 10 ** drawing.randint(1, 12))
        elif kind < 0.6:
            value = drawing.choice([-1, 1]) * drawing.randint(0, 4000) / 8 * written.scale  # ties
        cases.append([text, value, written.text, written.scale, isinstance(value, int)])
        expected.append(shown(text, written, value))
    module, asked = tmp_path / "written.mjs", tmp_path / "cases.json"
    module.write_text((ROOT / "docs/assets/js/written.js").read_text("utf-8"), encoding="utf-8")
    asked.write_text(json.dumps(cases))
    script = f"""
    import {{ readFileSync }} from "node:fs";
    const {{ shown }} = await import({str(module)!r});
    const cases = JSON.parse(readFileSync({str(asked)!r}, "utf8"));
    const said = cases.map(([text, value, written, scale, whole]) =>
      shown(text, written, whole ? BigInt(value) : value, scale));
    console.log(JSON.stringify(said));
    """
    assert json.loads(run(script)) == expected

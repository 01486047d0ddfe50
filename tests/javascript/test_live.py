"""Expressions of live passages as functions of a card and a model."""

import gzip
import json
import random
from pathlib import Path

from scripts.javascript.live import assumed, live_module
from scripts.javascript.registries import registries
from scripts.javascript.sources import ROOT
from scripts.site.live import shown
from scripts.sync.written import parse_written
from tests.javascript.engine import run


def test_a_figure_that_is_not_published_is_null(tmp_path: Path) -> None:
    module, held = tmp_path / "live.mjs", tmp_path / "registries.json"
    expressions = {
        "peak": "h100_sxm.dense_fp16",
        "balance": "balance_point(h100_sxm.dense_fp16, h100_sxm.memory_bandwidth)",
        "bytes": "weight_bytes(total_parameters(llama_3_1_8b), FP16.bytes)",
    }
    module.write_text(live_module(expressions), encoding="utf-8")
    held.write_text(registries(), encoding="utf-8")
    script = f"""
    import {{ readFileSync }} from "node:fs";
    const live = await import({str(module)!r});
    const held = live.loads(readFileSync({str(held)!r}, "utf8"));
    const entry = (made, kind, slug) => new made(live.$keywords(held.get(kind).get(slug)));
    const cards = ["rtx-4090", "gaudi-3"].map((slug) => entry(live.Accelerator, "accelerators", slug));
    const model = entry(live.Model, "models", "gpt2");
    const found = cards.flatMap((card) => [live.peak(card, model), live.balance(card, model)]);
    console.log(JSON.stringify([...found, Number(live.bytes(undefined, model))]));
    """
    assert json.loads(run(script)) == [165.2e12, 165.2e12 / 1.008e12, None, None, 124439808 * 2]


def test_only_what_the_expressions_reach_is_written() -> None:
    text = live_module({"p_1": "h100_sxm.memory"})
    assert "total_parameters" not in text
    assert live_module({"p_1": "h100_sxm.memory"}) == text
    assert len(gzip.compress(text.encode(), 9)) < 2_000


def test_what_an_expression_assumes() -> None:
    assert assumed("f(h100_sxm.memory, llama_3_1_8b, FP16)") == ("h100_sxm", "llama_3_1_8b")
    assert assumed("2**10") == ("", "")


WRITTEN = ["209", "3,350 GB/s", "8 billion", "0.27 GB", "80 GiB", "5%", "0.080 ms", "16.25 s"]


def test_a_page_writes_numbers_as_python_does(tmp_path: Path) -> None:
    drawing = random.Random(7)
    cases, expected = [], []
    for _ in range(5_000):
        written = parse_written(drawing.choice(WRITTEN))
        value: float = drawing.choice([-1, 1]) * 10 ** drawing.uniform(-6, 8) * written.scale
        kind = drawing.random()
        if kind < 0.2:
            value = drawing.randint(0, 10 ** drawing.randint(1, 12))
        elif kind < 0.6:
            value = drawing.choice([-1, 1]) * drawing.randint(0, 4000) / 8 * written.scale  # ties
        cases.append([value, written.text, written.scale, isinstance(value, int)])
        expected.append(shown(written, value))
    module, asked = tmp_path / "written.mjs", tmp_path / "cases.json"
    module.write_text((ROOT / "docs/assets/js/written.js").read_text("utf-8"), encoding="utf-8")
    asked.write_text(json.dumps(cases))
    script = f"""
    import {{ readFileSync }} from "node:fs";
    const {{ shown }} = await import({str(module)!r});
    const cases = JSON.parse(readFileSync({str(asked)!r}, "utf8"));
    const said = cases.map(([value, written, scale, whole]) =>
      shown(whole ? BigInt(value) : value, written, scale));
    console.log(JSON.stringify(said));
    """
    assert json.loads(run(script)) == expected

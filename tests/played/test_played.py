"""Played figures: what they say is what the chapters' own arithmetic gives, in Python and in JavaScript."""

import doctest
import itertools
import json
import xml.etree.ElementTree
from pathlib import Path

import numpy as np
import pytest

from scripts.javascript.assets import FOLDER, assets
from scripts.played import PLAYED, guess, roofline, ruler, served
from snippets import quantization
from snippets.hardware import ACCELERATORS, h100_sxm
from snippets.models import MODELS, llama_3_1_8b
from snippets.speed import decode_seconds, prefill_seconds
from snippets.weight_formats import fp16_weights
from tests.javascript.engine import run

SIZES = [(736.0, 276.0), (358.0, 320.0)]
HELD = served.figures()


def held(module, card: str = "h100-sxm", model: str = "llama-3.1-8b") -> list[dict]:
    return [HELD["card"][card], HELD["model"][model]] if hasattr(module, "FOLLOWS") else []


def positions(module) -> list[list[int]]:
    """Every position of all controls but of those with many, of which some."""
    ways = [range(0, len(c.options), max(1, len(c.options) // 9)) for c in module.CONTROLS]
    return [list(at) for at in itertools.product(*ways)]


def starts(module) -> list[int]:
    return [control.start for control in module.CONTROLS]


@pytest.mark.parametrize("name", PLAYED)
def test_a_picture_is_the_same_in_javascript(tmp_path: Path, name: str) -> None:
    module = PLAYED[name]
    script = tmp_path / "played.mjs"
    script.write_text(assets()[f"{FOLDER}/play/{name}.js"], encoding="utf-8")
    cases = [[*size, at] for size, at in itertools.product(SIZES, positions(module))]
    asked = tmp_path / "cases.json"
    asked.write_text(json.dumps({"cases": cases, "held": [json.dumps(h) for h in held(module)]}))
    found = json.loads(
        run(f"""
        import {{ readFileSync }} from "node:fs";
        const python = await import({str(script)!r});
        const {{ cases, held }} = JSON.parse(readFileSync({str(asked)!r}, "utf8"));
        const given = held.map((text) => python.loads(text));
        console.log(JSON.stringify(cases.map(([width, height, at]) => {{
          const {{ marks, said }} = python.draw(width, height, at.map(BigInt), ...given);
          return [marks, said];
        }})));
        """)
    )
    assert len(found) > 100
    for (width, height, at), (marks, said) in zip(cases, found, strict=True):
        picture = module.draw(width, height, at, *held(module))
        assert (marks, said) == (picture.marks, picture.said), at
        xml.etree.ElementTree.fromstring(f"<svg>{marks}</svg>")
        assert "nan" not in marks
        assert "inf" not in marks


@pytest.mark.parametrize("at", positions(ruler), ids=str)
def test_the_ruler_rounds_as_the_chapter_does(at: list[int]) -> None:
    bits, group = ruler.BITS[at[0]], ruler.GROUPS[at[1]]
    weights = np.array(ruler.WEIGHTS)
    weights[ruler.DRAGGED] = ruler.PLACES[at[2]]
    scales = quantization.group_scales(weights, bits=bits, group=group)
    levels = quantization.quantize(weights, scales, bits=bits)
    for own, scale, row in zip(weights.reshape(-1, group), scales[:, 0], levels, strict=True):
        assert ruler.rounded([float(each) for each in own], bits) == (float(scale), row.tolist())
    error = quantization.relative_error(weights, quantization.dequantize(levels, scales))
    said = ruler.draw(700.0, 280.0, at).said
    zeros = quantization.share_at_zero(levels)
    assert said.endswith(f"error {error:.3f}, {zeros:.0%} of the weights at zero.")
    assert f"{bits + 16 / group:g} bits per weight" in said


def test_the_ruler_starts_as_the_page_says() -> None:
    said = ruler.draw(700.0, 280.0, starts(ruler)).said
    assert "4 bits in groups of 32: 4.5 bits per weight" in said
    assert "relative error 0.100, 19% of the weights at zero" in said


def test_a_weight_is_dragged_to_where_it_stands() -> None:
    places = [ruler.drag(700.0, x) for x in range(0, 701, 7)]
    assert places == sorted(places)
    assert (places[0], places[-1]) == (0, len(ruler.PLACES) - 1)
    x = ruler.across(700.0, ruler.ROOM * ruler.OWN, 0.02)
    assert ruler.PLACES[ruler.drag(700.0, x)] == 0.02


def test_the_roofline_gives_the_seconds_of_the_chapter() -> None:
    limits = {"peak_operations": 989e12, "memory_bandwidth": h100_sxm.memory_bandwidth}
    for batch, prompt in itertools.product(range(10), range(7)):
        said = roofline.draw(700.0, 400.0, [batch, prompt, 0], *held(roofline)).said
        many, tokens = roofline.BATCHES[batch], roofline.PROMPTS[prompt]
        step = decode_seconds(llama_3_1_8b, fp16_weights, batch=many, context=2048, **limits)
        first = prefill_seconds(llama_3_1_8b, fp16_weights, tokens=tokens, **limits)
        assert f"each: {many / step:,.0f} tokens/s" in said
        assert f"A prompt of {tokens:,} tokens: {tokens / first:,.0f} tokens/s" in said


def test_the_roofline_says_what_is_true_of_each_card_and_model() -> None:
    for card, model in [
        *itertools.product(ACCELERATORS, ["mixtral-8x7b"]),
        *itertools.product(["gtx-1650", "rtx-3060"], MODELS),
    ]:
        for kind in range(3):
            given = held(roofline, card, model)
            said = roofline.draw(358.0, 320.0, [9, 6, kind], *given).said
            known = given[0]["peaks"][kind] is not None
            assert ("compute-bound" in said or "memory-bound" in said) == known
            needed = given[1]["held"][kind] + 512 * given[1]["cache"]
            assert ("does not hold it" in said) == (needed > given[0]["memory"])
            assert ("measured" in said) == (card == "rtx-3060" and kind == 0)


def test_each_played_figure_has_a_static_one_and_is_small() -> None:
    root = Path(__file__).parents[2]
    for name, module in PLAYED.items():
        assert (root / f"docs/figures/{name}.svg").is_file()
        for control in module.CONTROLS:
            assert len(set(control.options)) == len(control.options)
            assert not any("|" in each or '"' in each for each in control.options)


@pytest.mark.parametrize("module", [guess, ruler])
def test_worked_examples_hold(module) -> None:
    assert doctest.testmod(module) == (0, doctest.testmod(module).attempted)
    assert doctest.testmod(module).attempted > 0

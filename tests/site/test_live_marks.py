"""Live passages on their way into the page: what is marked, and what stops the build."""

import gzip
from xml.etree import ElementTree

import markdown
import pytest

from scripts.core.cache import Cache
from scripts.core.faults import BadInput
from scripts.handbook.live_checks import short_name
from scripts.handbook.this_book import page_paths
from scripts.javascript.live_numbers import CARDS, MODELS, live_module
from scripts.javascript.translated_sources import ROOT
from scripts.proof.written import parse_written
from scripts.site.choice import export, live_expressions, modules
from scripts.site.live_marks import shown
from scripts.site.minified import minified
from snippets.hardware import ACCELERATORS
from snippets.models import MODELS as MODELS_BY_SLUG

PASSAGE = """\
Before.

<div class="live" markdown>

<span data-name="card">An H100</span> moves [3,350 GB/s][bandwidth], so
[8 billion][model] parameters write [209 tokens/s][ceiling], of [333 GB/s][other].

</div>

[bandwidth]: #cite "h100_sxm.memory_bandwidth"
[model]: #calc "total_parameters(llama_3_1_8b)"
[ceiling]: #calc "h100_sxm.memory_bandwidth / total_parameters(llama_3_1_8b) / FP16.bytes"
[other]: #record "rtx-3060-transcribed/bandwidth: copy.bytes_per_second"
"""


def convert(source: str) -> str:
    return markdown.markdown(
        source,
        extensions=[
            "attr_list",
            "md_in_html",
            "scripts.site.provenance",
            "scripts.site.live_marks",
        ],
    )


def passage(numbers: str, *definitions: str) -> str:
    return f'<div class="live" markdown>\n\n{numbers}\n\n</div>\n\n' + "\n".join(definitions) + "\n"


def test_a_passage_says_what_it_assumes_and_how_its_numbers_are_written():
    root = ElementTree.fromstring(f"<body>{convert(PASSAGE)}</body>")
    (block,) = root.iter("div")
    assert (block.get("data-card"), block.get("data-model")) == ("h100-sxm", "llama-3.1-8b")
    line = block[0]
    assert "".join(line.itertext()) == "For an H100 SXM and Llama 3.1 8B · change"
    names = [name.get("data-name") for name in line.iter("span")]
    assert [name for name in names if name] == ["card", "model"]
    written = [
        (link.text, link.get("data-written"), link.get("data-scale")) for link in block.iter("a")
    ]
    assert written == [
        ("3,350 GB/s", "3,350", "1000000000"),
        ("8 billion", "8", "1000000000"),
        ("209 tokens/s", "209", None),
        ("333 GB/s", None, None),
    ]


def test_each_sentence_of_a_passage_stands_apart_and_one_may_end_in_the_next_paragraph():
    text = "It moves [3,350 GB/s][h]. (Twice [2 TB/s][h].) At most\n\n[80 GiB][m]\n\nof it, says 3.1. End."
    definitions = ('[h]: #cite "h100_sxm.memory_bandwidth"', '[m]: #cite "h100_sxm.memory"')
    root = ElementTree.fromstring(f"<body>{convert(passage(text, *definitions))}</body>")
    said: dict[str, str] = {}
    for each in root.iter("span"):
        if at := each.get("data-sentence"):
            said[at] = said.get(at, "") + "".join(each.itertext())
    assert list(said.values()) == [
        "It moves 3,350 GB/s.",
        "(Twice 2 TB/s.) At most80 GiBof it, says 3.1.",
        "End.",
    ]


def test_a_paragraph_that_follows_no_choice_says_for_whom_its_numbers_are():
    text = "Of [80 GiB][m] a half.\n\nNothing.\n\n[80 GiB][m] and [180 GiB][b].\n\n" + passage(
        "[80 GiB][m]", '[m]: #cite "h100_sxm.memory"', '[b]: #cite "b200_sxm.memory"'
    )
    root = ElementTree.fromstring(f"<body>{convert(text)}</body>")
    found = [each.get("data-example") for each in root.iter("p") if not each.get("hidden")]
    assert found[:3] == ["Example: an H100 SXM", None, None]


def test_its_expressions_are_what_is_compiled():
    assert live_expressions(convert(PASSAGE) + "<p>None</p>") == {
        export("cite", "h100_sxm.memory_bandwidth"): "h100_sxm.memory_bandwidth",
        export("calc", "total_parameters(llama_3_1_8b)"): "total_parameters(llama_3_1_8b)",
        export(
            "calc", "h100_sxm.memory_bandwidth / total_parameters(llama_3_1_8b) / FP16.bytes"
        ): "h100_sxm.memory_bandwidth / total_parameters(llama_3_1_8b) / FP16.bytes",
    }


def test_a_unit_that_stands_elsewhere_counts():
    source = passage("[3,350][b] of them", '[b]: #cite "h100_sxm.memory_bandwidth in GB/s"')
    html = convert(source)
    assert 'data-scale="1000000000"' in html
    name = export("cite", "h100_sxm.memory_bandwidth in GB/s")
    assert live_expressions(html) == {name: "h100_sxm.memory_bandwidth"}


def test_names_are_those_that_prose_uses():
    assert short_name("NVIDIA H100 SXM 80 GB") == "an H100 SXM"
    assert short_name("NVIDIA GeForce RTX 2080 Ti 11 GB") == "an RTX 2080 Ti"
    assert short_name("AMD EPYC 9654, 768 GB") == "an EPYC 9654"
    assert short_name("Intel Xeon Platinum 8480+, 512 GB") == "a Xeon 8480+"
    assert short_name("Google TPU v5e") == "a TPU v5e"
    assert short_name("Intel Gaudi 3 128 GB") == "a Gaudi 3"
    assert short_name("AMD Instinct MI300X 192 GB") == "an MI300X"
    assert short_name("NVIDIA A100 SXM 40 GB") == "an A100 SXM 40 GB"
    assert short_name("NVIDIA A100 PCIe 80 GB") == "an A100 PCIe 80 GB"
    assert len({short_name(card.name) for card in ACCELERATORS.values()}) == len(ACCELERATORS)
    assert len({model.name for model in MODELS_BY_SLUG.values()}) == len(MODELS_BY_SLUG)
    assert len(CARDS) == len(ACCELERATORS)
    assert MODELS["gpt2"] == "gpt2"


@pytest.mark.parametrize(
    ("written", "value", "text"),
    [
        ("209 tokens/s", 64.4, "64 tokens/s"),
        ("209 tokens/s", 9.4, "9.4 tokens/s"),
        ("209 tokens/s", 9.5, "10 tokens/s"),
        ("209 tokens/s", 12345.6, "12,346 tokens/s"),
        ("8 billion", 124439808, "124 million"),
        ("8 billion", 8030261248, "8.0 billion"),
        ("8 billion", 12e9, "12 billion"),
        ("260 caches", 7, "7 caches"),
        ("21.7 GB", -34.26e9, "−34.3 GB"),
        ("21.7 GB", 0.0, "0.0 GB"),
        ("0.27 GB", 1.25e8, "125 MB"),
        ("16 GB", 1342e9, "1,342 GB"),
        ("21.7 GB", 1342.4e9, "1,342 GB"),
        ("16 GB", 65.4e12, "65 TB"),
        ("4.8 ms", 0.000042, "42.0 µs"),
        ("3,350 GB/s", 68e9, "68 GB/s"),
        ("4 times", 0.00390625, "1/256 times"),
        ("1.7 times", 0.0003, "1/3,330 times"),
        ("1.7 times", 0.21, "0.21 times"),
    ],
)
def test_a_value_is_shown_as_the_number_is_written(written, value, text):
    assert shown(written, parse_written(written), value) == text


def test_the_module_is_translated_once_for_the_same_expressions(tmp_path, monkeypatch):
    asked = {"one.js": {"p_1": "h100_sxm.memory / total_parameters(llama_3_1_8b)"}, "two.js": {}}
    cache = Cache(tmp_path)
    first = modules(asked, ROOT, cache)
    assert first.keys() == asked.keys()
    assert "p_1 = (h100_sxm, llama_3_1_8b) =>" in first["one.js"]
    monkeypatch.setattr("subprocess.run", None)
    assert modules(asked, ROOT, cache) == first


def test_an_expression_without_a_translation_stops_the_build(tmp_path):
    asked = {"one.js": {"p_1": "record('a/b: c') / h100_sxm.memory"}}
    with pytest.raises(BadInput, match="cannot be translated"):
        modules(asked, ROOT, Cache(tmp_path))


def test_a_first_recomputation_takes_at_most_12_500_bytes_of_script():
    """Of each page: its arithmetic with all figures in it, and the script that shows the numbers."""
    pages = [convert((ROOT / path).read_text("utf-8")) for path in page_paths(ROOT)]
    live = [page for page in pages if '<p class="assumed">' in page]
    assert sum(page.count('<p class="assumed">') for page in live) >= 25
    own = [
        (ROOT / "docs/assets/js" / name).read_text("utf-8") for name in ("live.js", "written.js")
    ]
    for page in live:
        scripts = [live_module(live_expressions(page)), *own]
        packed = [gzip.compress(minified(each).encode(), 9) for each in scripts]
        assert sum(map(len, packed)) <= 12_500


def test_only_what_reads_weights_by_the_token_says_which_experts_it_reads():
    read = passage("[9][c]", '[c]: #calc "active_parameters(mixtral_8x7b)"')
    assert "data-routed" in convert(read)
    assert "data-routed" not in convert(
        passage("[9][c]", '[c]: #calc "total_parameters(mixtral_8x7b)"')
    )

"""Live passages as the check judges them: where each fault stands, and what it asks for."""

import pytest

from scripts.core.cache import Cache
from scripts.handbook import this_book as told
from scripts.handbook.checking import check_whole
from scripts.javascript.translated_sources import ROOT
from scripts.proof import bibliography
from scripts.proof.parse import parse_page
from scripts.records import record as records

SERVICE = "ServicePlan(model=llama_3_1_8b, weights=fp8_weights, card=h100_sxm, prompt=1, answer=1)"
CARD = '[c]: #calc "h100_sxm.memory"'
CITED = '[c]: #cite "h100_sxm.memory"'
MODEL = '[m]: #calc "total_parameters(llama_3_1_8b)"'
H100 = '<span data-name="card">An H100</span>'
LLAMA = '<span data-name="model">Llama 3.1 8B</span>'


def passage(text: str, *definitions: str) -> str:
    block = f'<div class="live" markdown>\n\n{text}\n\n</div>\n\n'
    return f"# Title\n\n{block}" + "\n".join(definitions) + "\n"


@pytest.fixture(scope="module")
def faults(tmp_path_factory):
    entries = bibliography.read_bibliography(ROOT / told.BIBLIOGRAPHY)
    cache = Cache(tmp_path_factory.mktemp("cache"))
    book = told.book(ROOT, cache, records.read_all(ROOT), entries)

    def judge(source: str) -> list[str]:
        found = check_whole(parse_page("docs/p.md", source), book, {})
        return [f"{each.line}: {each.message}" for each in found.faults]

    return judge


@pytest.mark.parametrize(
    "source",
    [
        passage(f"{H100} has [80 GiB][c]; {LLAMA} has [8.03 billion][m].", CITED, MODEL),
        passage(H100.replace("An H100", "the H100 SXM").replace("the ", "") + " [80 GiB][c]", CARD),
        passage("It has [80 GiB][c].\n\n```text\n</div>\n```", CARD).replace("```text", "```json"),
        passage(
            '<span data-name="card">an A100 SXM 40 GB</span>: [40 GiB][a]',
            '[a]: #cite "a100_40gb_sxm.memory"',
        ),
    ],
)
def test_a_passage_in_order_has_no_fault(faults, source):
    assert faults(source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            passage(f"{H100} has [80 GiB][c].", CARD).replace("data-name", "data-nome"),
            "5: 'H100' would stay when a reader chooses another card",
        ),
        (
            passage(f"{H100} has [80 GiB][c].", CARD).replace('"card"', '"kard"'),
            "5: data-name='kard' names nothing to choose",
        ),
        (
            passage(f"{H100} has [80 GiB][c].", CARD).replace("An H100", "A B200"),
            "5: 'A B200' names the card of numbers that are for h100_sxm",
        ),
        (
            passage(f"{H100} has [80 GiB][c].", CARD).replace("An H100", "A H100"),
            "5: 'A H100' names the card of numbers that are for h100_sxm",
        ),
        (
            passage(
                '<span data-name="card">An RTX</span> has [12 GiB][r].',
                '[r]: #calc "rtx_3060.memory"',
            ),
            "5: 'An RTX' names the card of numbers that are for rtx_3060",
        ),
        (
            passage(f"{LLAMA} has [8.03 billion][m].", MODEL).replace("Llama 3.1 8B", "GPT-2"),
            "5: 'GPT-2' names the model of numbers that are for llama_3_1_8b",
        ),
        (
            passage(f"{LLAMA} wants [80 GiB][c].", CARD),
            "5: 'Llama 3.1 8B' is marked as the model, and no number here depends on a model",
        ),
        (
            passage("The H100 has [80 GiB][c].", CARD),
            "5: 'H100' would stay when a reader chooses another card",
        ),
        (f"{H100}.\n", "1: a name outside of live passages follows no choice"),
        (
            passage("[80 GiB][c], [24 GiB][d]", CARD, '[d]: #calc "rtx_4090.memory"'),
            "3: a live passage for more than one card: h100_sxm, rtx_4090",
        ),
        (
            passage("[2][n]", '[n]: #calc "1 + 1"'),
            "3: no number of this live passage depends on a card or a model",
        ),
        (
            passage("[3.55][n]", '[n]: #calc "h100_sxm.memory / rtx_4090.memory + 0.2166666"'),
            "5: h100_sxm.memory / rtx_4090.memory + 0.2166666 names more than one card: "
            "h100_sxm, rtx_4090",
        ),
        (passage("[**80** GiB][c]", CARD), "5: a malformed number in '**80** GiB'"),
        (
            passage("[−80 GiB][c]", '[c]: #calc "-h100_sxm.memory"'),
            "5: '−80 GiB' in a live passage is no plain number",
        ),
        (
            passage("[36.3][c]", '[c]: #calc "log2(h100_sxm.memory)"'),
            "5: no choice can be followed by 'log2(h100_sxm.memory)': "
            "cannot be translated to JavaScript: this call of log2",
        ),
        (
            passage("[450 GB/s][n]", f'[n]: #calc "service_worker({SERVICE}).link"'),
            f"5: no choice can be followed by 'service_worker({SERVICE}).link': "
            f"'service_worker({SERVICE}).link' hands llama_3_1_8b to a function that needs a card as well",
        ),
        (
            passage("[H80: 80 GiB][c]", CARD),
            "5: 'H80: 80 GiB' holds the digits 80 twice",
        ),
        (
            passage("[80 GiB][c].", CARD).replace("</div>\n", ""),
            "3: this <div> is never closed",
        ),
        (
            passage("[80 GiB][c].", CARD).replace('<div class="live" markdown>', ""),
            "7: this </div> closes nothing",
        ),
        (
            passage("[80 GiB][c].", CARD).replace(" markdown>", ">"),
            "3: [80 GiB][c] in this <div> would be no link",
        ),
        (
            "# T\n\n<details markdown>\n<summary>A\n\n</details>\n",
            "4: this <summary> is never closed",
        ),
    ],
)
def test_a_fault_says_where_and_what(faults, source, expected):
    assert expected in faults(source)

"""What readers see: each trick that once let a number pass, and what is rightly accepted."""

from pathlib import Path

import pytest

from scripts.core.cache import Cache
from scripts.handbook.page_html import renderer
from scripts.proof.book import Book
from scripts.proof.check import check_page
from scripts.proof.evaluate import Evaluator
from scripts.proof.judge import judge
from scripts.proof.parse import parse_page
from scripts.proof.programs import Programs

ROOT = Path(__file__).parents[2]
NAMES = ("FP16", "H100", "Llama 3.1", "Llama 3.1 405B", "GPT-2")
UNITS = {"bandwidth": "B/s", "weights": "B", "ceiling": "1/s", "intensity": "op/B", "layers": ""}
VALUES = {
    "bandwidth": 3.35e12,
    "weights": 16e9,
    "ceiling": 209.375,
    "intensity": 295.2,
    "layers": 32,
}
DEFINED = """

[w]: #calc "weights"
[b]: #calc "bandwidth"
[c]: #calc "ceiling"
[i]: #calc "intensity"
[l]: #calc "layers"
[y]: #cite "zero2020"
"""


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Book:
    evaluator = Evaluator(VALUES, {}, {"zero2020": {"year": "2020"}})
    cache = Cache(tmp_path_factory.mktemp("cache"))
    return Book(ROOT, evaluator, cache, Programs(ROOT, cache), NAMES, UNITS, renderer(ROOT))


def messages(source: str, book: Book) -> list[str]:
    """The faults of a page that defines the numbers above."""
    page = parse_page("p.md", source + DEFINED)
    found = check_page(page, book, run=False)
    faults = [*found.faults, *judge(page, book, found.checked, {})]
    return [
        f"{fault.line}: {fault.message}" for fault in faults if "but no number" not in fault.message
    ]


@pytest.mark.parametrize(
    "source",
    [
        "It moves [3,350 GB/s][b], and [16 GB][w] give [209 tokens/s][c].",
        "# The [16 GB][w]\n\n- of ([16 GB][w]), “[16 GB][w]”\n- [16][w] bytes?\n".replace(
            "[16][w] bytes?", "so"
        ),
        "An FP16 number on an H100, Llama 3.1 405B, GPT-2 in a list:\n\n1. one\n2. two",
        "`x[16]`, $W$, $2 \\cdot 3 = 6$ and [a page](chapter-2.md#part-3)",
        "[295][i] operations per byte, [295 op/B][i], [32][l] layers, [32][l]-fold, [thirty-two][l]",
        "Said by [Rajbhandari et al. 2020][y], and [16 GB][w] per card; [16 GB][w], [3,350 GB/s][b].",
        "| memory | rate |\n|---|--:|\n| [16 GB][w] | [3,350 GB/s][b] |",
        "<details markdown>\n<summary>Answer</summary>\n\nIt is [**16 GB**][w].\n\n</details>",
        "```bash\nhead -3 x\n```\n\n<!-- 17 -->\n\n```console\n$ head -3 x\nok\n```",
        "The third stage, half of it, a second one, every sixth, a quarterly.",
        "Two of them, one byte, four readers, [thirty-two][l] layers, a hundred of them, half.",
        "> quoted [16 GB][w]\n\n<https://example.org/2020/17>",
        "[16 GB][w]–[16 GB][w] and [16 GB][w]/[3,350 GB/s][b]",
    ],
)
def test_what_is_proven_passes(source: str, book: Book) -> None:
    assert messages(source, book) == []


NO_ORIGIN = "a numeral without provenance: "
NOT_CHECKED = "that nothing has checked"
NOT_SEEN = "that readers do not get as one"
CHANGES = "would change what it says"


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        # Numerals in text, wherever Markdown shows them.
        ("It takes 16 bytes.", NO_ORIGIN + "16"),
        ("## The 34 terms", NO_ORIGIN + "34"),
        ("| 5 |\n|---|", NO_ORIGIN + "5"),
        ("Llama 3.1 406B", NO_ORIGIN + "406B"),
        ("FP17 and GPT-20", NO_ORIGIN + "FP17"),
        ("The total is\n1024. Then more.", NO_ORIGIN + "1024."),
        ("a <b and\n\n70 GB more\n\nthan c> d", NO_ORIGIN + "70"),
        ("x ` y\n\n## The balance point at 19 GB\n\nc ` d", NO_ORIGIN + "19"),
        ("x ` y\n\n- 19 GB\n- c ` d", NO_ORIGIN + "19"),
        ("x ` y\n\n| a | b |\n|---|---|\n| 19 GB | c ` d |", NO_ORIGIN + "19"),
        ("> x ` y\n\n> 19 GB\n\n> c ` d", NO_ORIGIN + "19"),
        ("`<!--` is 19 GB `-->`", NO_ORIGIN + "19"),
        ("\\`19 GB\\`", NO_ORIGIN + "\\`19".replace("\\", "")),
        ("at {#70 GB} mid", NO_ORIGIN + "{#70"),
        ("---\ntitle: The 17 GB\n---\n\n# Title", NO_ORIGIN + "17"),
        # Quantities in words.
        ("It takes twelve bytes.", "a quantity in words without provenance: twelve bytes"),
        ("It is thirty-one times as fast.", "without provenance: thirty-one times"),
        ("Of sixty-four readers", "without provenance: sixty-four"),
        ("It costs a third more.", "without provenance: third more"),
        ("about a tenth of it, or three quarters of it", "without provenance: tenth of"),
        ("loses three quarters of it", "without provenance: three quarters of"),
        ("[Rajbhandari et al. 2020][y] thousand", CHANGES),
        *(
            (f"takes {part} of it", "a quantity in words without provenance")
            for part in ("two-thirds", "three-quarters", "one-sixth", "a good third", "a full tenth")
        ),
        ("XVII GB of it", "a quantity in words without provenance: XVII GB"),
        *((f"about {sign} GB", NO_ORIGIN + sign) for sign in ("🔟", "⚅", "🕔", "⠼⠁")),
        # Blocks that no program gives.
        ("```bash\n# takes 17 GB\nls\n```", "a number in a block that nothing checks: # takes 17"),
        ("```console\n$ plan\n17 GB\n```", "a number in a block that nothing checks: 17 GB"),
        ('```json\n{"gb": 17}\n```', "a number in a block that nothing checks"),
        # Whatever Unicode calls a number.
        *((f"about {n} GB", NO_ORIGIN + n) for n in ("½", "x³", "㉑", "Ⅻ", "三", "٣", "𝟏𝟗")),
        ("about &#49;&#57; GB", NO_ORIGIN + "19"),
        ("about &frac12; GB", NO_ORIGIN + "½"),
        # Shown and spoken attributes.
        ("![the 15 marks](x.svg)", NO_ORIGIN + "15"),
        ('<abbr title="70 GB">x</abbr>', NO_ORIGIN + "70"),
        ("<abbr TITLE=47GB>x</abbr>", NO_ORIGIN + "47GB"),
        ('[x](y.md "70 GB")', NO_ORIGIN + "70"),
        ('[x][site]\n\n[site]: ../index.md "17 GB"', NO_ORIGIN + "17"),
        ('A word.\n{: title="17 GB" }', NO_ORIGIN + "17"),
        ('A word.\n{: aria-label="17 GB" }', NO_ORIGIN + "17"),
        ('# Title {: data-toc-label="17 GB" }', "a label for contents"),
        ('<span data-unit="17 GB">x</span>', NO_ORIGIN + "17"),
        ('<span style="counter-reset: n 17">x</span>', NO_ORIGIN + "17"),
        ("<ol start=47>\n<li>x</li>\n</ol>", NO_ORIGIN + "47"),
        ("<svg><text>17 GB</text></svg>", NO_ORIGIN + "17"),
        ("<style>p::after { content: '17 GB' }</style>", NO_ORIGIN + "'17"),
        ('<a class="proven">17 GB</a>', NO_ORIGIN + "17"),
        # What stands beside a proven number and changes it.
        *((f"{before}[16 GB][w]", CHANGES) for before in ("−", "− ", "-", ".", "2", "x", "minus ", "±")),
        *((f"about {before}[16 GB][w]", CHANGES) for before in ("half ", "a thousand ", "1.", "~−")),
        *(
            (f"[32][l]{after}", CHANGES)
            for after in ("%", "&percnt;", " %", " thousand", " gigabytes", " ms", "‰", "k", "0", ".5")
        ),
        *((f"[32][l]{after}", CHANGES) for after in (" K", " (thousand)", " **thousand**", "²")),
        *((f"[32][l]{after}", CHANGES) for after in (" squared", " per hour", " GB")),
        *((f"[16 GB][w]{after}", CHANGES) for after in ("/s", " bytes", " per second", "[16 GB][w]")),
        ("[3,350,000,000,000][b] seconds", CHANGES),
        # What the text of a proven number may not hold.
        *(
            (f"[{text}][w]", f"[{text}]")
            for text in ("½ 16 GB", "16 GB squared", "16 GB/s", "16 GFLOP", "16 Gbit")
        ),
        ("[17 GB][w]", "17 should be 16"),
        ("[16 TB][w]", "16 hides"),
        ("[209 kilotokens/s][c]", "no unit that is known"),
        ("`17 GB`", "a quantity in a code span"),
        ("FP16% and FP16 thousand", NO_ORIGIN + "FP16%"),
        ("[209 tokens/ms][c]", "209 hides"),
        ("[3,350 GB per hour][b]", "3,350 should be"),
        ("[3,350 GB][b]", "measures B, but bandwidth is B/s"),
        ("[thirty-one][l]", "should be thirty-two"),
        ("[Rajbhandari et al. 2020, ½][y]", "does not prove"),
        # Programs, formulas and numbers that Markdown reads otherwise.
        ("> ```python\n> print(17)\n> ```", "block of code " + NOT_CHECKED),
        ("\t```python\n\tprint(17)\n\t```", "block of code " + NOT_CHECKED),
        ("    17 GB, indented", "block of code " + NOT_CHECKED),
        ("<pre>17 GB</pre>", "block of code " + NOT_CHECKED),
        ("<div>\n[16 GB][w]\n</div>", "number " + NOT_SEEN),
        ('<span class="arithmatex">\\(x = 17\\)</span>', "formula " + NOT_CHECKED),
        ('<a href="#calc" title="weights">17 GB</a>', "number " + NOT_CHECKED),
        ('[17 GB](#calc "weights")', "number " + NOT_CHECKED),
        ("```python\nprint(1)\n```\n\n    17", "block of code " + NOT_CHECKED),
    ],
)  # fmt: skip
def test_each_trick_is_a_fault(source: str, fault: str, book: Book) -> None:
    assert any(fault in message for message in messages(source, book)), messages(source, book)


def test_a_fault_has_its_place(book: Book) -> None:
    source = "# Title\n\nIt moves [16 GB][w].\n\n- One *thing* takes\n  17 GB in the end.\n"
    assert messages(source, book) == [f"6: {NO_ORIGIN}17"]

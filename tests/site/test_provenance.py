import hashlib
from xml.etree import ElementTree

import markdown
import pytest

from scripts.handbook.ledger import anchor
from scripts.site.provenance import ProvenanceError


def render(source: str) -> ElementTree.Element:
    html = markdown.markdown(
        source, extensions=["attr_list", "md_in_html", "tables", "toc", "scripts.site.provenance"]
    )
    return ElementTree.fromstring(f"<body>{html}</body>")


def only_link(source: str) -> ElementTree.Element:
    (link,) = render(source).iter("a")
    return link


def test_the_anchor_is_the_hash_of_the_kind_and_the_expression():
    digest = hashlib.sha1(b"calc decode_ceiling(3.35e12, 16e9)").hexdigest()
    assert anchor("calc", "decode_ceiling(3.35e12, 16e9)") == f"p-{digest[:8]}"
    assert anchor("cite", "decode_ceiling(3.35e12, 16e9)") != f"p-{digest[:8]}"


@pytest.mark.parametrize(
    ("kind", "expression", "title"),
    [
        ("calc", "f(h100_sxm.memory_bandwidth, 8e9 * 2)", "computed: "),
        ("calc", "record('rtx-3060-transcribed/bandwidth: copy') < 3 & 4", "computed: "),
        ("cite", "rajbhandari2020: section 3.1", "cited: "),
        ("record", "rtx-3060-transcribed/bandwidth: copy.bytes_per_second in GB/s", "recorded: "),
    ],
)
def test_a_proven_number_leads_to_its_row_in_the_ledger(kind, expression, title):
    link = only_link(f'At [209 tokens/s][n].\n\n[n]: #{kind} "{expression}"\n')
    assert link.text == "209 tokens/s"
    assert link.get("class") == f"proven proven-{kind}"
    assert link.get("href") == f"/reference/ledger.md#{anchor(kind, expression)}"
    assert link.get("title") == title + expression


@pytest.mark.parametrize(
    "source",
    [
        "# About [209][n]",
        "| a |\n|---|\n| [209][n] |",
        "- [209][n]",
        "> **[209][n]**",
        "<details markdown>\n<summary>Answer</summary>\n\n[209][n]\n\n</details>",
    ],
)
def test_numbers_are_marked_wherever_they_stand(source):
    link = only_link(source + '\n\n[n]: #calc "f(2)"\n')
    assert link.get("class") == "proven proven-calc"


def test_other_links_are_left_alone():
    link = only_link('[calc](#calculation "a title") \n\n[n]: #calc "f(2)"\n')
    assert dict(link.attrib) == {"href": "#calculation", "title": "a title"}


def test_a_formula_definition_leaves_no_trace():
    assert not list(render('Text.\n\n[f]: #formula "q = f(b)"\n').iter("a"))


@pytest.mark.parametrize("title", ["", ' " "'])
def test_a_number_without_an_expression_stops_the_build(title):
    with pytest.raises(ProvenanceError, match="'209' links to #calc without saying where"):
        render(f"[209][n]\n\n[n]: #calc{title}\n")


def test_a_link_to_a_formula_stops_the_build():
    with pytest.raises(ProvenanceError, match="'q' links to a formula"):
        render('[q][f]\n\n[f]: #formula "q = f(b)"\n')

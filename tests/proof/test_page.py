"""What a page holds, and what is wrong with its form."""

import pytest

from scripts.proof.parse import parse_page


def faults(source: str) -> list[str]:
    return [f"{fault.line}: {fault.message}" for fault in parse_page("p.md", source).faults]


def test_a_page_in_order_has_no_fault() -> None:
    page = parse_page(
        "p.md",
        """# Bandwidth

An H100 moves [3,350 GB/s][h100] in FP16; see `x[0]` and [a page](other.md#part-2).

1. First, $a_1 = 2$ and

$$b = 3$$

<!-- 17 -->
```python
print(1)
```

```text
1
```

--8<-- "docs/tables/x.md"

[h100]: #cite "h100_sxm.memory_bandwidth"
[site]: https://example.org/2020
""",
    )
    assert not page.faults
    assert [r.text for r in page.references] == ["3,350 GB/s"]
    assert page.references[0].line == 3
    assert page.source[page.references[0].start :].startswith("3,350")
    assert page.definitions["h100"].expression == "h100_sxm.memory_bandwidth"
    assert [(f.tex, f.display, f.line) for f in page.formulas] == [
        ("a_1 = 2", False, 5),
        ("b = 3", True, 7),
    ]
    assert page.printed[0].output is not None
    assert page.printed[0].output.body == "1\n"
    assert page.embeds == [(18, "docs/tables/x.md")]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('[209][A]\n\n[A]: #calc "209"\n[a]: #calc "3"', "4: [a] is defined twice"),
        ('[x]: #calc "209"\n[x]: https://example.org', "2: [x] is defined twice"),
        ("[209][ceiling]", "1: [209][ceiling]: no such definition"),
        ('[209]\n\n[209]: #calc "1"', "1: [209] alone is a link without a number"),
        ('[1][a]\n\n[a]: #calc "1"\n[a]: #calc "2"', "4: [a] is defined twice"),
        ('[a]: #sum "1"', "1: no such kind of source: #sum"),
        ("[a]: #calc", "1: [a] has no expression"),
        ("```Python\n```", "1: a fence marked 'Python' would not be checked"),
        ("```python notest\n```", "1: a fence marked 'python notest' would not be checked"),
        ("- x\n\n  ```python\n  ```", "3: an indented fence would not be run"),
        ("```python\nprint(1)", "1: this fence is never closed"),
        ("```text\n5\n```", "1: a text fence that no python fence prints"),
        ("!!! note\n    5", "1: !!! is not stock Markdown: what it holds would not be checked"),
        ('???+ note "x"', "1: ???+ is not stock Markdown: what it holds would not be checked"),
        ('=== "CPU"', "1: === is not stock Markdown: what it holds would not be checked"),
        ("--8<-- “x.md”", "1: a line that embeds nothing: --8<-- “x.md”"),
        ('--8<--"x.md"', '1: a line that embeds nothing: --8<--"x.md"'),
    ],
)
def test_each_fault_of_form_is_named(source: str, expected: str) -> None:
    assert expected in faults(source)


def test_text_between_takes_a_text_fence_from_its_code() -> None:
    assert faults("```python\nprint(1)\n```\n\nand so\n\n```text\n1\n```") == [
        "7: a text fence that no python fence prints"
    ]


def test_a_dollar_sign_that_opens_math_is_math() -> None:
    page = parse_page("p.md", "It costs $5-$6 a month.")
    assert [formula.tex for formula in page.formulas] == ["5-"]


def test_regions_never_overlap() -> None:
    source = "a ` [1][a] ` $x ` y$ <b [2][a]> <!-- `$ --> [`3` $4$][a]\n\n$$\n`5`\n$$\n\n```text\n`\n```\n"
    page = parse_page("p.md", source + '\n[a]: #calc "1"')
    assert [kind for kind, _, _ in page.regions] == [
        *("code", "inline", "tag", "comment", "reference", "display", "fence", "definition")
    ]
    ends = [end for _, _, end in page.regions]
    assert all(start >= end for (_, start, _), end in zip(page.regions[1:], ends, strict=False))

"""The tables that stand in a page itself, as data."""

from scripts.proof.parse import parse_page
from scripts.site.page_tables import named_tables, tables_of
from scripts.tables.data import Cell

SOURCE = """\
## One

| device | rate | size, MiB | what | works |
| --- | --- | --- | --- | --- |
| `rtx-3060` | [3,350 GB/s][t-1] | [32][t-2] | 16 and 32 | [`a/b`](<https://a.b>) |
| **both** | **[−0.34 TFLOP/s][t-4]** | | a \\| b | {} |

```text
| no | table |
```

## Other

| bits { #b } | loss |
|---|---|
| `8` | [1.5e-3][t-5] |

[t-1]: #record "rtx-3060-transcribed/bandwidth: copy.bytes_per_second"
[t-2]: #record "rtx-3060-transcribed/bandwidth: cache in MiB"
[t-4]: #calc "2"
[t-5]: #cite "FP16.bits"
"""
ONE, OTHER = tables_of(parse_page("docs/tables/t.md", SOURCE))


def test_cells_have_their_digits_unit_and_origin() -> None:
    copy = ("record", "rtx-3060-transcribed/bandwidth: copy.bytes_per_second")
    first, second = ONE.data().rows
    assert first == [
        Cell("rtx-3060"),
        Cell("3,350 GB/s", "3,350", "GB/s", copy),
        Cell("32", "32", "MiB", ("record", "rtx-3060-transcribed/bandwidth: cache")),
        *(Cell("16 and 32"), Cell("a/b")),
    ]
    assert second[1] == Cell("−0.34 TFLOP/s", "−0.34", "TFLOP/s", ("calc", "2"))
    assert [cell.written for cell in second[2:]] == ["", "a | b", "{}"]
    assert OTHER.data().csv() == b"bits,loss\n8,1.5e-3\n"
    assert [table.heading for table in (ONE, OTHER)] == ["One", "Other"]


def test_tables_of_a_page_are_named_by_their_headings() -> None:
    row = "| <span class='k'>a</span> |\n|---|\n| [1][a] |\n| |\n"
    words = row.replace("[1][a]", "one")
    text = f'# All\n\n{row}\n## What `it` costs\n\n{row}\n{words}\n{row}\n[a]: #calc "1"\n'
    named = named_tables(parse_page("p.md", text), "p")
    assert [*named] == ["p/all", "p/what-it-costs", "p/what-it-costs-2"]
    assert [table.lines for table in named.values()] == [
        [3, 4, 5, 6],
        [10, 11, 12, 13],
        [20, 21, 22, 23],
    ]
    assert {table.columns[0] for table in named.values()} == {"a"}

"""Tables as data: what a spreadsheet reads, and where each cell comes from."""

import csv
import io
import json

from scripts.proof.parse import parse_page
from scripts.table_data import as_csv, as_json, base_unit, named_tables, tables_of

SOURCE = """\
## One

| device | rate | size, MiB | share | what | works |
| --- | --- | --- | --- | --- | --- |
| `rtx-3060` | [3,350 GB/s][t-1] | [32][t-2] | [12.5%][t-3] | 16 and 32 | [`a/b`](<https://a.b>) |
| **both** | [−0.34 TFLOP/s][t-4] | | [7%][t-3] | a \\| b | {} |

```text
| no | table |
```

## Other

| bits { #b } | loss |
|---|---|
| `8` | [1.5e-3][t-5] |

[t-1]: #record "rtx-3060/bandwidth: copy.bytes_per_second"
[t-2]: #record "rtx-3060/bandwidth: cache in MiB"
[t-3]: #calc "1 / 8"
[t-4]: #calc "2"
[t-5]: #cite "FP16.bits"
"""
ONE, OTHER = tables_of(parse_page("docs/tables/t.md", SOURCE))


def test_numbers_are_a_spreadsheets_and_units_stand_in_the_head() -> None:
    assert list(csv.reader(io.StringIO(as_csv(ONE).decode()))) == [
        ["device", "rate", "rate, unit", "size, MiB", "share (%)", "what", "works"],
        ["rtx-3060", "3350", "GB/s", "32", "12.5", "16 and 32", "a/b"],
        ["both", "-0.34", "TFLOP/s", "", "7", "a | b", "{}"],
    ]
    assert as_csv(OTHER) == b"bits,loss\n8,1.5e-3\n"
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


def test_a_cell_says_what_is_written_its_value_its_unit_and_its_origin() -> None:
    origin = {"kind": "recorded", "expression": "x", "value": 3.35e12}
    rows = json.loads(as_json("one", ONE, {"t-1": origin}))["rows"]
    assert rows[0][1] == {
        "written": "3,350 GB/s",
        "value": 3.35e12,
        "unit": "B/s",
        "origin": origin,
    }
    assert rows[0][0] == {"written": "rtx-3060"}
    assert rows[1][1] == {"written": "−0.34 TFLOP/s", "value": -0.34, "unit": "TFLOP/s"}


def test_values_are_in_the_unit_without_its_prefix() -> None:
    units = ("GB/s", "MiB", "TFLOP/s", "ms", "%", "billion", "tokens/s", "W", "kbit/s", "")
    bases = ("B/s", "B", "FLOP/s", "s", "", "", "tokens/s", "W", "bit/s", "")
    assert tuple(map(base_unit, units)) == bases

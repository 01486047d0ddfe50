"""Tables that stand in a page itself, on their way into the site."""

import markdown

from scripts.site.page_sources import with_data_offered

TABLE = "| a | b |\n|---|---|\n| [1][one] | x |\n| | |"
PAGE = f"""# Title

Words
{TABLE}

## Next

```text
{TABLE}
```

{TABLE}
more words

| key | word |
|---|---|
| a | b |

[one]: #calc "1"
"""


def test_each_table_of_numbers_offers_its_data_and_nothing_else_changes() -> None:
    source = with_data_offered("chapters/07-x.md", PAGE)
    html = markdown.markdown(
        source, extensions=["tables", "md_in_html", "fenced_code", "scripts.site.exhibits"]
    )
    assert html.count("<table>") == 3
    assert [each.split('"')[0] for each in html.split('href="/data/tables/')[1:]] == [
        f"07-x/{name}.{form}" for name in ("title", "next") for form in ("csv", "json")
    ]
    assert html.count("<td></td>") == 4  # an empty row is a row
    assert "| [1][one] | x |" in html.partition("<code")[2]
    assert "<p>more words</p>" in html

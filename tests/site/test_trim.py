import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from scripts.site.trim import classes, on_post_build, trim


@pytest.mark.parametrize(
    ("sheet", "kept"),
    [
        (".a{color:red}.b{color:blue}", ".a{color:red}"),
        (".a,.b,p{top:0}", ".a,p{top:0}"),
        (".a .b{top:0}.a>.c{top:1px}", ".a>.c{top:1px}"),
        (".a:not(.b){top:0}", ".a:not(.b){top:0}"),
        (":is(.b,p){top:0}", ":is(.b,p){top:0}"),
        ("@media print{.b{top:0}.a{top:1px}}", "@media print{.a{top:1px}}"),
        ("@media print{.b{top:0}}", ""),
        ("@media screen{@supports (top:0){.a{top:0}.b{top:0}}}", None),
        ("@keyframes b{0%{top:0}to{top:1px}}", "@keyframes b{0%{top:0}to{top:1px}}"),
        (
            ".a{background:url(data:image/svg+xml;x,1)}",
            ".a{background:url(data:image/svg+xml;x,1)}",
        ),
        ('.a{content:"}.b{"}', '.a{content:"}.b{"}'),
    ],
)
def test_rules_for_what_is_not_there_are_dropped(sheet, kept):
    kept = "@media screen{@supports (top:0){.a{top:0}}}" if kept is None else kept
    assert re.sub(r"\s*([{}:])\s*", r"\1", trim(sheet, shown={"a", "c"}, tabs=0)) == re.sub(
        r"\s*([{}:])\s*", r"\1", kept
    )


def test_of_tabs_only_as_many_as_there_are():
    sheet = "".join(f".a>input:nth-child({n}):checked~p{{top:0}}" for n in (1, 2, 3, 12))
    assert re.findall(r"\d+(?=\))", trim(sheet, shown={"a"}, tabs=2)) == ["1", "2"]


def test_a_class_is_known_from_a_page_or_a_script():
    assert classes(['<p class="a b-c"><i class=d>'], ['e.classList.add("md-x__y--z")']) >= {
        "a",
        "b-c",
        "d",
        "md-x__y--z",
    }


def test_pages_ask_for_the_sheet_by_its_new_name(tmp_path):
    sheets = tmp_path / "assets/stylesheets"
    sheets.mkdir(parents=True)
    (sheets / "main.1234.min.css").write_text(
        ".a table:not([class]){top:0}.b{top:0}.a input:nth-child(3){top:0}.a input:nth-child(4){top:0}"
    )
    for page in ("index.html", "sub/index.html"):
        Path(tmp_path, page).parent.mkdir(exist_ok=True)
        Path(tmp_path, page).write_text(
            '<link href="assets/stylesheets/main.1234.min.css"><p class="a"><table class="data">'
            '<div data-tabs="a-table:3"></div>'
        )
    on_post_build(SimpleNamespace(site_dir=str(tmp_path)))
    (sheet,) = sheets.iterdir()
    assert sheet.name not in ("main.1234.min.css", "main.1234.css")
    assert ".a table.data" in sheet.read_text()
    assert ".b" not in sheet.read_text()
    assert "(3)" in sheet.read_text()
    assert "(4)" not in sheet.read_text()
    for page in ("index.html", "sub/index.html"):
        assert f"assets/stylesheets/{sheet.name}" in Path(tmp_path, page).read_text()

import io

import pytest
from fontTools.ttLib import TTFont

from scripts.core.cache import Cache
from scripts.site import stylesheet as module
from scripts.site.stylesheet import stylesheet
from scripts.site.typeset import typeset


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return Cache(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="module")
def files(cache):
    made = typeset([(r"x < \left(\frac{1}{2}\right)^2", True)], cache)
    return stylesheet([*made.values()], cache)


def test_only_rules_that_apply_are_kept(files):
    sheet = files["formulas.css"].decode()
    assert "mjx-mfrac {" in sheet
    assert "mjx-c.mjx-c3C {" in sheet
    assert "mjx-merror" not in sheet
    assert "mjx-sqrt" not in sheet
    assert "NCM-DS" not in sheet
    assert sheet.count("{") == sheet.count("}")


def test_the_fonts_that_are_named_are_there_cut_to_the_letters_in_use(files):
    named = {
        line.split('"')[1] for line in files["formulas.css"].decode().splitlines() if "url(" in line
    }
    assert {f"./{name}" for name in files if name != "formulas.css"} == named
    letters = TTFont(io.BytesIO(files["mjx-ncm-n.woff2"])).getBestCmap()
    assert {ord("<"), ord("1"), ord("2"), 0x1D465} <= set(letters)
    assert ord("3") not in letters
    assert sum(len(data) for data in files.values()) < 20_000


def test_the_same_formulas_give_the_same_bytes(files, tmp_path):
    fresh = Cache(tmp_path)
    made = typeset([(r"x < \left(\frac{1}{2}\right)^2", True)], fresh)
    assert stylesheet([*made.values()], fresh) == files


def test_a_font_is_cut_once(files, cache, monkeypatch):
    monkeypatch.delattr(module, "_subset")
    made = typeset([(r"x < \left(\frac{1}{2}\right)^2", True)], cache)
    assert stylesheet([*made.values()], cache) == files

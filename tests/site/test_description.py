from types import SimpleNamespace

import pytest

from scripts.site.description import description, on_page_content

LONG = "Does it fit? " + "It fits. " * 30


@pytest.mark.parametrize(
    ("html", "said"),
    [
        (
            "<h1>T</h1><p>One <a>209 tokens/s</a>\nhere. Two.</p><p>Three.</p>",
            "One 209 tokens/s here. Two.",
        ),
        ('<h1>T</h1><p class="lead">9 min</p><p>Why?</p>', "Why?"),
        ("<h1>T</h1><pre>x</pre>", ""),
        (f"<p>{LONG}</p>", "Does it fit?" + " It fits." * 16),
        ("<p>" + "word " * 60 + "end. More.</p>", "word " * 60 + "end."),
    ],
)
def test_a_description_is_how_the_text_begins(html, said):
    assert description(html) == said


def test_the_theme_is_given_what_there_is():
    page = SimpleNamespace(meta={})
    assert on_page_content("<p>One.</p>", page=page, config=None, files=None) == "<p>One.</p>"
    assert page.meta == {"description": "One."}
    page.meta.clear()
    on_page_content("<h1>T</h1>", page=page, config=None, files=None)
    assert page.meta == {}  # the theme then takes the site's

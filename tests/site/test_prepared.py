from scripts.site.prepared import on_post_page


def test_tables_are_in_their_boxes_and_programs_have_their_buttons():
    page = (
        "<p>a</p><table><tr><td>1</td></tr></table>"
        '<pre><span></span><code><span class="n">x</span><span class="w"> </span>'
        '<span class="o">=</span> <span class="mi">1</span></code></pre>'
        '<pre class="output"><code>2\n3\n</code></pre>'
        '<table class="other"></table>'
    )
    prepared = on_post_page(page, page=None, config=None)
    assert (
        '<div class="md-typeset__scrollwrap" data-rows="1" tabindex="0" role="group" '
        'aria-label="Table"><div class="md-typeset__table">'
        '<table class="data"><tr><td>1</td></tr></table></div></div>'
    ) in prepared
    assert prepared.endswith('<table class="other"></table>')
    assert '<pre data-lines="1"><span></span><div class="md-code__nav"><button' in prepared
    assert 'data-clipboard-target="#code-0"' in prepared
    assert '</div><code id="code-0">x = <span class="mi">1</span></code>' in prepared
    assert '<pre class="output" data-lines="2"><div class="md-code__nav">' in prepared
    assert '</div><code id="code-1">2' in prepared


def test_a_program_with_a_long_line_can_be_scrolled_by_keyboard():
    page = f'<pre><code><span class="n">{"x" * 32}</span>\n</code></pre>'
    assert "tabindex" not in on_post_page(page, page=None, config=None)
    longer = on_post_page(page.replace("</span>", "</span>y"), page=None, config=None)
    assert '<code id="code-0" tabindex="0">' in longer

from scripts.site.prepared import on_post_page


def test_tables_are_in_their_boxes_and_programs_have_their_buttons():
    page = (
        "<p>a</p><table><tr><td>1</td></tr></table>"
        '<pre><span></span><code><span class="n">x</span><span class="w"> </span>'
        '<span class="o">=</span> <span class="mi">1</span></code></pre>'
        '<pre class="output"><code>2</code></pre>'
        '<table class="other"></table>'
    )
    prepared = on_post_page(page, page=None, config=None)
    assert (
        '<div class="md-typeset__scrollwrap"><div class="md-typeset__table"><table class="data">'
        "<tr><td>1</td></tr></table></div></div>"
    ) in prepared
    assert '<pre><span></span><div class="md-code__nav"><button' in prepared
    assert 'data-clipboard-target="#code-0"' in prepared
    assert '</div><code id="code-0">x = <span class="mi">1</span></code>' in prepared
    assert '<pre class="output"><div class="md-code__nav">' in prepared
    assert '</div><code id="code-1">2' in prepared

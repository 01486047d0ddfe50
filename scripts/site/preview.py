"""The pages while they are written: `make serve` runs this, and follows edits.

As a hook of MkDocs it has the sources written before each build, and the pages finished after it, as
`scripts/build.py` does.
"""

import sys
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.livereload import LiveReloadServer

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from scripts.core.cache import Cache  # noqa: E402
from scripts.site.finish import POLICY, finish  # noqa: E402
from scripts.site.page_sources import WRITTEN, write_sources  # noqa: E402

SOURCES = ROOT / ".cache/preview"
# MkDocs writes a script into each page that loads it again after an edit.
LOADING_AGAIN = {"script-src": "'self' 'unsafe-inline'"}


def on_pre_build(config: MkDocsConfig) -> None:
    """Write the sources."""
    write_sources(ROOT, SOURCES, wait=False)


def on_post_build(config: MkDocsConfig) -> None:
    """Finish the pages."""
    cache = Cache(ROOT / ".cache")
    finish(Path(config.site_dir), ROOT, cache, policy=POLICY | LOADING_AGAIN)
    cache.save()


def on_serve(server: LiveReloadServer, config: MkDocsConfig, **_: Any) -> LiveReloadServer:
    """Watch what is edited, and the data that follows it, not the sources that are written from both."""
    server.unwatch(config.docs_dir)
    server.watch(str(ROOT / WRITTEN))
    return server


if __name__ == "__main__":
    from mkdocs.commands.serve import serve

    write_sources(ROOT, SOURCES)
    serve(
        str(ROOT / "mkdocs.yml"),
        docs_dir=str(SOURCES),
        hooks=[__file__],
        livereload=True,
    )

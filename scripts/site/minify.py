"""A hook of MkDocs: the site's own scripts without comments and indentation, once it is built."""

from pathlib import Path

import rjsmin
from mkdocs.config.defaults import MkDocsConfig

FOLDERS = ("assets/js", "assets/arithmetic")


def on_post_build(config: MkDocsConfig) -> None:
    """Write each script anew."""
    for folder in FOLDERS:
        for script in Path(config.site_dir, folder).rglob("*.js"):
            script.write_text(rjsmin.jsmin(script.read_text("utf-8")), encoding="utf-8")

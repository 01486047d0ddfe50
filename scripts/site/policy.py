"""A hook of MkDocs: the Content-Security-Policy that the theme writes into the head of each page."""

from typing import Literal

from mkdocs.config.defaults import MkDocsConfig

POLICY = {
    "default-src": "'self'",
    "img-src": "'self' data:",  # the theme's stylesheets hold its icons
    "object-src": "'none'",
    "base-uri": "'none'",
    "form-action": "'none'",
}
# `mkdocs serve` writes a script into each page that loads it again after an edit.
SERVING = {"script-src": "'self' 'unsafe-inline'"}

_serving = False


def on_startup(*, command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:
    """Remember whether this is a preview."""
    global _serving
    _serving = command == "serve"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Hand the policy to the theme."""
    policy = POLICY | SERVING if _serving else POLICY
    config.extra["policy"] = "; ".join(f"{name} {sources}" for name, sources in policy.items())
    return config

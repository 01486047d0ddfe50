import pytest
from mkdocs.config.defaults import MkDocsConfig

from scripts.site import policy


@pytest.mark.parametrize("command", ["build", "serve"])
def test_only_a_preview_allows_scripts_in_pages(command, monkeypatch):
    monkeypatch.setattr(policy, "_serving", False)
    config = MkDocsConfig()
    config.extra = {}
    policy.on_startup(command=command, dirty=False)
    written = policy.on_config(config).extra["policy"]
    assert written.startswith("default-src 'self'; ")
    assert "unsafe-eval" not in written
    assert ("unsafe-inline" in written) == (command == "serve")

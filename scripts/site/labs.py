"""A hook of MkDocs: labs are run by mkdocs-jupyter, once, and set by the site's own Markdown.

So their formulas, numbers, links and code look and are checked as in chapters, without the styles and
scripts that a notebook brings along. What a lab gave is kept in `.cache/` under a digest of the lab, of
all that it imports and reads, of the packages that run it and of the device.
"""

import hashlib
import importlib.metadata
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs_jupyter.config import settings
from nbclient.exceptions import CellExecutionError, DeadKernelError

from scripts import devices, records
from scripts.cache import Cache, imported_files, tree_digest
from scripts.faults import Fault
from scripts.proof.labs import LABS, is_lab
from scripts.site.notebooks import as_page, failure, read_rendered

STORE = "labs"
SITE = Path(__file__).parent
KEPT_BY = ("notebook_templates", "notebooks.py")
READ = ("docs/data/embedded",)  # beside the published records
RUN_BY = ("mkdocs-jupyter", "nbconvert", "nbclient", "ipykernel", "ipython", "jupytext")
IMPORTED = ("torch", "numpy", "matplotlib", "safetensors", "tokenizers")

Render = Callable[[MkDocsConfig, Files], None]

_cache = Cache(Path(".cache"))  # of the site that is being built


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Have mkdocs-jupyter write the executed notebook instead of its own page."""
    global _cache
    _cache = Cache(_root(config) / ".cache")
    settings.templates_dir = str(SITE / KEPT_BY[0])
    return config


def on_pre_page(page: Page, *, config: MkDocsConfig, files: Files) -> Page:
    """Take what mkdocs-jupyter renders for Markdown; it has put its own `render` there by now."""
    path = f"docs/{page.file.src_uri}"
    if is_lab(path):
        run: Render = page.render

        def render(config: MkDocsConfig, files: Files) -> None:
            _render(page, path, run, config, files)

        page.render = render  # type: ignore[method-assign]
    return page


def on_env(env: object, *, config: MkDocsConfig, files: Files) -> None:
    """Forget what no lab gives any more, once all have been run."""
    _cache.save(prune=True)


def keys(root: Path) -> Iterator[str]:
    """For each lab the digest of all that its outputs depend on."""
    for lab in sorted((root / LABS).glob("*.py")):
        yield key(lab, root)


def key(lab: Path, root: Path) -> str:
    """A digest of a lab, of what it imports and reads, of what runs it and on what."""
    source = lab.read_text(encoding="utf-8")
    files = [*imported_files(source, root), *records.record_paths(root).values()]
    made_of = [*READ, *sorted(file.relative_to(root).as_posix() for file in files)]
    parts = [
        lab.stem,
        source,
        tree_digest(root, made_of),
        tree_digest(SITE, KEPT_BY),
        sys.version,
        *(f"{name} {importlib.metadata.version(name)}" for name in (*RUN_BY, *IMPORTED)),
        str(devices.detect("auto").identity),
    ]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _render(page: Page, path: str, run: Render, config: MkDocsConfig, files: Files) -> None:
    root = _root(config)
    source = (root / path).read_text(encoding="utf-8")
    digest = key(root / path, root)
    notebook = _cache.get(STORE, digest)
    if notebook is None:
        try:
            run(config, files)
        except (CellExecutionError, DeadKernelError) as error:
            raise PluginError(str(failure(path, source, error))) from None
        notebook = read_rendered(page.content or "")
        _cache.put(STORE, digest, notebook)
        _cache.save()
    try:
        made = as_page(Path(path).stem, source, notebook)
    except ValueError as error:
        remedy = "show it with display(lab_charts.picture(sheet, alt))"
        raise PluginError(str(Fault(path, 0, str(error), remedy))) from None
    for name, data in made.figures.items():
        files.append(File.generated(config, f"labs/{name}", content=data))
    page.markdown = made.markdown
    Page.render(page, config, files)


def _root(config: MkDocsConfig) -> Path:
    return Path(config.config_file_path).parent

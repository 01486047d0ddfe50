"""An executed notebook as a page's Markdown with its figures; a cell that failed as a fault."""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from scripts.core.faults import Fault
from scripts.figures.palette import in_the_dark
from scripts.figures.rows import Row, as_csv, as_json
from scripts.handbook.lab_source import ADDRESS, cells
from scripts.site.exhibits import drawn

COLOUR = re.compile(r"\x1b\[[\d;]*m")
PLACE = re.compile(r"Cell In\[(\d+)\], line (\d+)")
GITHUB = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?")
TITLE = re.compile(r"^# .+$", re.MULTILINE)


@dataclass
class NotebookPage:
    """What a lab's page is made of: Markdown, and the bytes of its figures by file name."""

    name: str
    parts: list[str] = field(default_factory=list)
    figures: dict[str, bytes] = field(default_factory=dict)

    @property
    def markdown(self) -> str:
        """The whole page."""
        return "\n\n".join(self.parts) + "\n"

    def add(self, cell: dict[str, Any]) -> None:
        """Add a cell and what it printed and drew."""
        source = "".join(cell["source"]).strip("\n")
        if cell["cell_type"] == "markdown":
            self.parts.append(source)
        elif source:
            self.parts.append(f"````python\n{source}\n````")
            self.parts += self._outputs(cell["outputs"])

    def _outputs(self, outputs: list[dict[str, Any]]) -> Iterator[str]:
        printed = ""
        for output in outputs:
            if output["output_type"] == "stream":
                printed += "".join(output["text"]) if output["name"] == "stdout" else ""
                continue
            if printed:
                yield _printed(printed)
                printed = ""
            yield self._shown(output)
        if printed:
            yield _printed(printed)

    def _shown(self, output: dict[str, Any]) -> str:
        data = {kind: "".join(text) for kind, text in output["data"].items()}
        if "text/markdown" in data:
            return str(data["text/markdown"])
        if "image/svg+xml" in data:
            said = output["metadata"].get("image/svg+xml", {})
            if not {"alt", "title", "rows"} <= said.keys():
                raise ValueError("a drawing without words, title and data")
            return self._figure(data["image/svg+xml"], **said)
        return _printed(data["text/plain"])

    def _figure(self, svg: str, *, alt: str, title: str, rows: list[Row]) -> str:
        name = f"{self.name}-{sum(file.endswith('.svg') for file in self.figures) + 1}"
        self.figures |= {
            f"{name}.svg": in_the_dark(svg.encode()),
            f"{name}.csv": as_csv(rows),
            f"{name}.json": as_json(title, rows),
        }
        attributes = " ".join(f'{key}="{value}"' for key, value in drawn(svg, title).items())
        return f"![{alt}]({name}.svg){{ {attributes} }}"


def as_page(name: str, source: str, notebook: dict[str, Any]) -> NotebookPage:
    """The page of a lab: links to its notebook below its title, then cell by cell."""
    page = NotebookPage(name)
    for cell in notebook["cells"]:
        page.add(cell)
    page.parts[0] = TITLE.sub(
        lambda title: f"{title[0]}\n\n{links(name, source)}", page.parts[0], 1
    )
    return page


def links(name: str, source: str) -> str:
    """To the notebook as a file; and in Colab, once the lab knows where the project is published."""
    written = f"[Download as a notebook]({name}.ipynb){{ .button download }}"
    address = ADDRESS.search(source)
    if address and (where := GITHUB.fullmatch(address[1])):
        colab = (
            f"https://colab.research.google.com/github/{where[1]}/blob/main/docs/labs/{name}.ipynb"
        )
        written += f"\n[Open in Colab]({colab}){{ .button }}"
    return written


def failure(path: str, source: str, error: Exception) -> Fault:
    """Which cell failed, on which line of the file, and what to do about it."""
    remedy = f"correct the cell or what it calls; to run the lab alone: python {path}"
    if not hasattr(error, "traceback"):
        return Fault(path, 0, f"its kernel ended while it ran: {error}", remedy)
    message = f"{error.ename}: {error.evalue}"  # type: ignore[attr-defined]
    place = PLACE.search(COLOUR.sub("", error.traceback))
    if not place:
        return Fault(path, 0, f"a cell fails: {message}", remedy)
    number, line = int(place[1]), int(place[2])
    cell = [cell for cell in cells(source) if not cell.markdown and cell.code][number - 1]
    before = next(index for index, text in enumerate(cell.text, 1) if text.strip())
    return Fault(
        path, cell.line + before + line - 1, f"code cell {number} fails: {message}", remedy
    )


def _printed(text: str) -> str:
    return f'<pre class="output"><code>{html.escape(text.rstrip(), quote=False)}</code></pre>'

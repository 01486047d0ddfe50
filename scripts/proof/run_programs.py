"""Run programs of pages, each in a process, a folder and a namespace of its own. Speaks JSON.

`programs.py` starts it with {"programs": [source], "root": folder, "limit": seconds} on standard input,
and reads one line for each: {"output": text}, or {"error": text, "line": number}, and "modules"
and "files", what of the project it imported and read. A program gets no network, starts no other, writes
nowhere but in its folder, and has limits on time, memory and output. Libraries are loaded once.
"""

import __future__

import contextlib
import importlib
import io
import json
import os
import re
import resource
import select
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

MEMORY = 8 * 2**30
OUTPUT = 2**20  # bytes of any file that is written, standard output among them
LOADED = ("numpy",)
OUTSIDE = re.compile(
    r"socket\.(?!gethostname|__new__)|subprocess\.|os\.(?:system|exec|posix_spawn|fork)"
)
WRITES = re.compile(r"os\.(?:remove|rename|rmdir|mkdir|link|symlink|truncate|chmod|chown|utime)$")
SYSTEM = ("/usr", "/lib", "/lib64", "/proc", "/sys", "/etc", "/dev", "/opt")
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Refused(PermissionError):
    """A program does what would make its output depend on more than its text and the project."""


def run_program(source: str, name: str = "program") -> dict[str, Any]:
    """Run a program in a fresh namespace: what it printed, or its error and the line in it."""
    try:
        # Annotations stay unevaluated: a section of a module lacks the names that they use.
        flags = __future__.annotations.compiler_flag
        compiled = compile(source, name, "exec", flags=flags, dont_inherit=True)
        with tempfile.TemporaryFile() as file:
            with _printing_to(file):
                exec(compiled, {"__name__": "__main__"})
            file.seek(0)
            return {"output": file.read().decode(errors="replace")}
    except BaseException as error:  # a program may raise anything, SystemExit included
        frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == name]
        line = frames[-1].lineno if frames else getattr(error, "lineno", None)
        text = "".join(traceback.format_exception_only(error)).strip()
        return {"error": text[:2000], "line": line or 1}


@contextlib.contextmanager
def _printing_to(file: IO[bytes]) -> Iterator[None]:
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(file.fileno(), 1)
    try:
        raw = io.FileIO(os.dup(1), "w")
        text = io.TextIOWrapper(raw, encoding="utf-8", write_through=True)
        with text, contextlib.redirect_stdout(text):
            yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


class _Guard:
    """An audit hook that refuses what a program may not do, and notes what it reads of the project."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.root, self.folder = f"{root}/", str(folder)
        self.readable: tuple[str, ...] = (
            *SYSTEM,
            sys.prefix,
            sys.base_prefix,
            os.path.realpath(sys.prefix),
        )
        self.readable += tuple(p for p in sys.path if p and not f"{p}/".startswith(self.root))
        self.read: set[str] = set()

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            self._open(*arguments)
        elif OUTSIDE.match(event):
            raise Refused(f"a program in a page has no network and starts no other ({event})")
        elif WRITES.match(event) and not self._own(arguments[0]):
            raise Refused(f"a program in a page writes in its own folder only ({event})")

    def _open(self, path: Any, mode: Any, flags: int) -> None:
        if isinstance(path, int):
            return
        place = os.path.abspath(os.fsdecode(path))
        if self._own(place) or place == os.devnull:
            return
        if flags & WRITING:
            raise Refused(f"a program in a page writes in its own folder only, not {place}")
        if place.startswith(self.root) and "/.venv/" not in place:
            if not place.endswith((".py", ".pyc")):
                self.read.add(place.removeprefix(self.root))
        elif not place.startswith(self.readable):
            raise Refused(f"a program in a page reads only what the project holds, not {place}")

    def _own(self, path: Any) -> bool:
        return os.path.abspath(os.fsdecode(path)).startswith(self.folder)


def _run_alone(source: str, root: Path, folder: Path, channel: int, limit: float) -> None:
    """In a forked process: run it and write its report."""
    os.setsid()
    os.chdir(folder)
    tempfile.tempdir = str(folder)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (OUTPUT, OUTPUT))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    seconds = int(limit) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    before = set(sys.modules)
    guard = _Guard(root, folder)
    sys.addaudithook(guard)
    report = run_program(source)
    files = {
        name: getattr(sys.modules[name], "__file__", None) or ""
        for name in set(sys.modules) - before
    }
    report["modules"] = sorted(n for n, file in files.items() if file.startswith(guard.root))
    report["modules"] = [name for name in report["modules"] if "site-packages" not in files[name]]
    report["files"] = sorted(guard.read)
    line = json.dumps(report).encode() + b"\n"
    while line:
        line = line[os.write(channel, line) :]


def _run(source: str, root: Path, limit: float) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        reader, writer = os.pipe()
        process = os.fork()
        if process == 0:
            try:
                _run_alone(source, root, Path(folder).resolve(), writer, limit)
            finally:
                os._exit(0)
        os.close(writer)
        said, deadline = b"", time.monotonic() + limit
        while not said.endswith(b"\n"):
            ready, _, _ = select.select([reader], [], [], max(deadline - time.monotonic(), 0))
            data = os.read(reader, 2**16) if ready else b""
            if not data:
                break
            said += data
        late = not said.endswith(b"\n") and time.monotonic() >= deadline
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
        os.close(reader)
        _, status = os.waitpid(process, 0)
        if said.endswith(b"\n"):
            return dict(json.loads(said))
        if late:
            return {"error": f"still running after {limit:g} s", "line": 1, "ended": True}
        code = os.waitstatus_to_exitcode(status)
        return {"error": f"ended its process (status {code})", "line": 1, "ended": True}


def main() -> None:
    """Run the programs given on standard input and report each."""
    asked = json.load(sys.stdin)
    channel = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for name in LOADED:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    for source in asked["programs"]:
        report = _run(source, Path(asked["root"]).resolve(), asked["limit"])
        print(json.dumps(report), file=channel, flush=True)


if __name__ == "__main__":
    main()

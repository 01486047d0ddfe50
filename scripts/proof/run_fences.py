"""Run code fences, each in a process of its own. Speaks JSON lines.

Reads a list of [name, code] from standard input. Before each fence it writes {"starts": index},
after it {"index": index, "output": text} or {"index": index, "error": text, "line": line}.
"""

import __future__

import contextlib
import io
import json
import os
import sys
import tempfile
import traceback
from collections.abc import Iterator
from typing import IO


def run_fence(name: str, code: str) -> dict[str, object]:
    """Run one fence in a fresh namespace: what it printed, or its error and the line in its code.

    What is written to the file descriptor, by a subprocess for example, counts as printed.
    """
    try:
        # Annotations stay unevaluated: a section of a module lacks the names that they use.
        flags = __future__.annotations.compiler_flag
        compiled = compile(code, name, "exec", flags=flags, dont_inherit=True)
        with tempfile.TemporaryFile() as file:
            with _printing_to(file):
                exec(compiled, {"__name__": "__main__"})
            file.seek(0)
            return {"output": file.read().decode(errors="replace")}
    except BaseException as error:  # a fence may raise anything, SystemExit included
        frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == name]
        line = frames[-1].lineno if frames else getattr(error, "lineno", None)
        text = "".join(traceback.format_exception_only(error)).strip()
        return {"error": text, "line": line or 1}


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


def main() -> None:
    """Run the fences given on standard input and report each."""
    channel = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for index, (name, code) in enumerate(json.load(sys.stdin)):
        print(json.dumps({"starts": index}), file=channel, flush=True)
        process = os.fork()
        if process == 0:
            print(json.dumps({"index": index} | run_fence(name, code)), file=channel, flush=True)
            os._exit(0)
        _, status = os.waitpid(process, 0)
        if status:
            sys.exit(os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main()

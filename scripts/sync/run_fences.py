"""Run code fences, one after another, in a process of its own. Speaks JSON lines.

Reads a list of [name, code] from standard input. Before each fence it writes {"starts": index},
after it {"index": index, "output": text} or {"index": index, "error": text, "line": line}.
"""

import contextlib
import io
import json
import sys
import traceback


def run_fence(name: str, code: str) -> dict[str, object]:
    """Run one fence in a fresh namespace: what it printed, or its error and the line in its code."""
    printed = io.StringIO()
    try:
        compiled = compile(code, name, "exec", dont_inherit=True)
        with contextlib.redirect_stdout(printed):
            exec(compiled, {"__name__": "__main__"})
    except BaseException as error:  # a fence may raise anything, SystemExit included
        frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == name]
        line = frames[-1].lineno if frames else getattr(error, "lineno", None)
        text = "".join(traceback.format_exception_only(error)).strip()
        return {"error": text, "line": line or 1}
    return {"output": printed.getvalue()}


def main() -> None:
    """Run the fences given on standard input and report each."""
    channel = sys.stdout
    for index, (name, code) in enumerate(json.load(sys.stdin)):
        print(json.dumps({"starts": index}), file=channel, flush=True)
        print(json.dumps({"index": index} | run_fence(name, code)), file=channel, flush=True)


if __name__ == "__main__":
    main()

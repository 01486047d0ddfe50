"""A Firefox as the distribution ships it, driven by the protocol that it speaks itself: Marionette.

The other browser tests need a Chromium; this client knows just enough for a walk over some pages.
"""

import itertools
import json
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

PATIENCE = 120  # seconds for Firefox to start, and for a page to get there
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # under this name WebDriver hands out elements
PREFERENCES = """
user_pref("marionette.port", {port});
user_pref("browser.dom.window.dump.enabled", true);
user_pref("devtools.console.stdout.content", true);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("browser.shell.checkDefaultBrowser", false);
"""


class Firefox:
    """A browser with one page. `said` is what it wrote: scripts that failed, what a policy stopped."""

    def __init__(self, connection: socket.socket, log: Path) -> None:
        self._connection, self._log = connection, log
        self._numbers = itertools.count(1)
        self._read()  # who it is
        self("NewSession", capabilities={"alwaysMatch": {"pageLoadStrategy": "normal"}})

    def __call__(self, command: str, **parameters: Any) -> Any:
        """What a command gives. Raises RuntimeError with what the browser says against it."""
        asked = json.dumps([0, next(self._numbers), f"WebDriver:{command}", parameters]).encode()
        self._connection.sendall(b"%d:%b" % (len(asked), asked))
        _, _, error, answer = self._read()
        if error:
            raise RuntimeError(f"{command} {parameters}: {error}")
        return answer

    def _read(self) -> Any:
        digits = b""
        while (byte := self._connection.recv(1)) != b":":
            digits += byte
        rest = b""
        while len(rest) < int(digits):
            rest += self._connection.recv(int(digits) - len(rest))
        return json.loads(rest)

    def visit(self, url: str) -> None:
        """Open an address, and wait until it is loaded."""
        self("Navigate", url=url)

    def evaluate(self, script: str, *arguments: Any) -> Any:
        """The value of a function's body in the page."""
        return self("ExecuteScript", script=script, args=list(arguments))["value"]

    def until(self, script: str, *arguments: Any) -> Any:
        """The same once it is something."""
        end = time.monotonic() + PATIENCE
        while not (found := self.evaluate(script, *arguments)):
            if time.monotonic() > end:
                raise TimeoutError(f"never: {script} {arguments}\n{self.said()}")
            time.sleep(0.1)
        return found

    def text(self, selector: str) -> str:
        """What an element says, once it is there."""
        return str(self.until("return document.querySelector(arguments[0])?.innerText", selector))

    def find(self, selector: str) -> str:
        """An element, as commands name it."""
        answer = self("FindElement", using="css selector", value=selector)
        return str(answer["value"][ELEMENT])

    def click(self, selector: str) -> None:
        """Point at an element and press, as a reader does."""
        self("ElementClick", id=self.find(selector))

    def type(self, selector: str, text: str) -> None:
        """Type into an element; a key has its code of WebDriver, such as that of Enter."""
        self("ElementSendKeys", id=self.find(selector), text=text)

    def said(self) -> list[str]:
        """What went wrong in pages so far."""
        lines = self._log.read_text("utf-8", "replace").splitlines()
        return [
            line
            for line in lines
            if ("JavaScript error" in line and "http" in line) or "Content-Security-Policy" in line
        ]


@contextmanager
def running(binary: str, folder: Path) -> Iterator[Firefox]:
    """A Firefox with a profile of its own, ended at the end."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (folder / "profile").mkdir()
    (folder / "profile/user.js").write_text(PREFERENCES.format(port=port), encoding="utf-8")
    log = folder / "log"
    words = [
        binary,
        "--headless",
        "--marionette",
        "--no-remote",
        "--profile",
        str(folder / "profile"),
    ]
    with log.open("wb") as written:
        process = subprocess.Popen(
            words,
            stdout=written,
            stderr=written,
            env={"HOME": str(folder), "PATH": "/usr/bin:/bin"},
        )
    try:
        end = time.monotonic() + PATIENCE
        while True:
            try:
                connection = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
                break
            except ConnectionRefusedError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.2)
        with closing(connection):
            yield Firefox(connection, log)
    finally:
        process.terminate()
        process.wait(PATIENCE)

"""A host as good ones are: it compresses text, keeps connections, and says how long a file may be kept."""

import functools
import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

TEXT = ("text/", "application/javascript", "application/json", "application/xml", "image/svg+xml")
KEPT = {"text/html": "no-cache"}  # a page is asked for again; what it needs is kept for a year
A_YEAR = "max-age=31536000"


class Compressing(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, *args: object, below: str, **options: object) -> None:
        self.below = f"/{below}"
        super().__init__(*args, **options)

    def do_GET(self) -> None:
        if not self.path.startswith(self.below):
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        path = Path(self.translate_path("/" + self.path.removeprefix(self.below)))
        path = path / "index.html" if path.is_dir() else path
        if not path.is_file():
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        kind = self.guess_type(path)
        body = path.read_bytes()
        self.send_response(HTTPStatus.OK)
        if kind.startswith(TEXT):
            kind = f"{kind}; charset=utf-8"
            body = compressed(path)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", KEPT.get(kind.partition(";")[0], A_YEAR))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@functools.cache
def compressed(path: Path) -> bytes:
    return gzip.compress(path.read_bytes(), mtime=0)


@contextmanager
def hosted(folder: Path, *, below: str = "") -> Iterator[str]:
    """The address at which a folder is served, below a path of its host."""
    handler = functools.partial(Compressing, below=below, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/{below}"
        server.shutdown()

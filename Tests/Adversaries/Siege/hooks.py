"""A receiver of webhooks that takes everything and counts what it was given."""

import http.server
import threading


class Hooks:
    """On loopback, in a thread of its own; use it as a context manager."""

    def __init__(self) -> None:
        # Ids of notifications: one that comes twice is the same one.
        self.ids: set[str] = set()
        self.repeats = 0
        hooks = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", "0")))
                identifier = self.headers.get("Parley-Id", "")
                hooks.repeats += identifier in hooks.ids
                hooks.ids.add(identifier)
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> "Hooks":
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

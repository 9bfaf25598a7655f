"""A line between a browser and the door, which the test cuts."""

import contextlib
import re
import selectors
import socket
import threading
import time
from urllib.parse import urlsplit

OFFSET = re.compile(rb"(?i)\r\nupload-offset: (\d+)\r\n")


class Relay:
    """Use it as a context manager; `url` is the door's by way of it."""

    def __init__(self, url: str) -> None:
        self._target = (urlsplit(url).hostname or "", urlsplit(url).port or 80)
        self._pairs: set[tuple[socket.socket, socket.socket]] = set()
        self._lock = threading.Lock()
        self._isCut = False
        self._most: int | None = None
        self._go_on = threading.Event()
        # A connection hangs in the middle of what it brings.
        self.hangs = threading.Event()
        # How long what is asked waits on its way, in seconds.
        self.delay = 0.0
        # Where uploads began or went on, in their order.
        self.offsets: list[int] = []

    def __enter__(self) -> "Relay":
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.cut()
        self._go_on.set()
        self._listener.close()

    def cut(self) -> None:
        """Ends all connections, and takes no new ones."""
        with self._lock:
            self._isCut = True
            for pair in self._pairs:
                for end in pair:
                    with contextlib.suppress(OSError):
                        end.shutdown(socket.SHUT_RDWR)

    def hang_after(self, most: int) -> None:
        """A connection that has brought the door so many bytes hangs, until `restore` ends it."""
        self._go_on.clear()
        self._most = most

    def restore(self) -> None:
        self._most = None
        self._go_on.set()
        with self._lock:
            self._isCut = False

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                threading.Thread(target=self._carry, args=(near,), daemon=True).start()

    def _carry(self, near: socket.socket) -> None:
        with near, contextlib.suppress(OSError), socket.create_connection(self._target) as far:
            with self._lock:
                if self._isCut:
                    return
                self._pairs.add((near, far))
            try:
                self._pass(near, far)
            finally:
                with self._lock:
                    self._pairs.discard((near, far))

    def _pass(self, near: socket.socket, far: socket.socket) -> None:
        brought = 0
        with selectors.DefaultSelector() as ready:
            ready.register(near, selectors.EVENT_READ, far)
            ready.register(far, selectors.EVENT_READ, near)
            while True:
                for key, _ in ready.select():
                    if not (data := key.fileobj.recv(65536)):  # type: ignore[union-attr]
                        return
                    if key.data is far:
                        time.sleep(self.delay)
                    key.data.sendall(data)
                    if key.data is near:
                        continue
                    brought += len(data)
                    self.offsets += [int(number) for number in OFFSET.findall(data)]
                    if self._most is not None and brought > self._most:
                        self.hangs.set()
                        self._go_on.wait()
                        return

"""WebDriver BiDi: commands over one WebSocket, with their answers and what happens meanwhile."""

import itertools
import json
from typing import Any

from websockets.sync.client import connect

# In seconds, for whatever a browser is asked for.
LIMIT = 120.0


class BiDiError(Exception):
    """What the browser has answered in place of a result."""


class Connection:
    """One thread uses it."""

    def __init__(self, url: str) -> None:
        # A screenshot is one message.
        self._socket = connect(
            url, max_size=1 << 26, open_timeout=LIMIT, compression=None, proxy=None, legacy=True
        )  # fmt: skip
        self._numbers = itertools.count(1)
        # Not yet asked for.
        self.events: list[dict[str, Any]] = []

    def send(self, method: str, /, limit: float = LIMIT, **parameters: Any) -> Any:
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = self._receive(limit, method)
            if message.get("id") == number:
                break
        if message.get("type") == "error" or "error" in message:
            raise BiDiError(f"{method}: {message.get('error')}: {message.get('message')}")
        return message["result"]

    def _receive(self, limit: float, what: str) -> dict[str, Any]:
        try:
            message = json.loads(self._socket.recv(timeout=limit))
        except TimeoutError:
            raise TimeoutError(f"the browser has not answered {what} within {limit} s") from None
        if "id" not in message:
            self.events.append(message)
        return message

    def close(self) -> None:
        self._socket.close()

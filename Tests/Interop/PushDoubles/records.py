"""What has come to the services: a list, and a file of JSON lines."""

import asyncio
import json
import time
from pathlib import Path
from typing import Any


class Records:
    """Numbered from 1, in the order in which the requests were whole."""

    def __init__(self, file: Path) -> None:
        self._file = open(file, "w", encoding="utf-8", buffering=1)
        self._all: list[dict[str, Any]] = []
        self._added = asyncio.Event()

    def add(self, fields: dict[str, Any]) -> None:
        record = {"number": len(self._all) + 1, "at": time.time(), **fields}
        self._all.append(record)
        self._file.write(json.dumps(record) + "\n")
        self._added.set()
        self._added = asyncio.Event()

    async def after(self, number: int, seconds: float) -> list[dict[str, Any]]:
        """Waits until there is one, or the time is up."""
        if len(self._all) <= number:
            try:
                await asyncio.wait_for(self._added.wait(), seconds)
            except TimeoutError:
                pass
        return self._all[number:]

    def close(self) -> None:
        self._file.close()

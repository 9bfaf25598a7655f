"""A gateway of the test's own: Mosquitto with the plugin, and parleyd, in a temporary data directory."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from launch import Launched
from services import Services

# Nothing of what is tested here is about limits.
WIDE = {
    "request_burst": 1_000_000, "requests_per_second": 1_000_000, "first_message_burst": 1_000_000,
    "stranger_lookups_per_hour": 1_000_000, "publish_burst": 1_000_000, "publishes_per_second": 1_000_000,
    "publish_burst_bytes": 1 << 40, "publish_bytes_per_second": 1 << 40, "connection_names_per_day": 1000,
    "subscribe_burst": 1_000_000, "presence_hold_ms": 0,
}  # fmt: skip


class Gateway(Launched):
    """Use it as a context manager."""

    def __init__(self, data: Path, services: Services | None, **settings: Any) -> None:
        """`settings` stand in `parleyd.json` beside those of the doubles; what is `None` is left out."""
        super().__init__(data)
        wanted = WIDE | (services.settings if services else {}) | settings
        self.settings = {name: value for name, value in wanted.items() if value is not None}

    def __enter__(self) -> "Gateway":
        try:
            self.launch(self.settings)
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @contextmanager
    def blamed(self) -> Iterator[None]:
        """What fails inside is followed by what parleyd said last."""
        try:
            yield
        except BaseException as error:
            error.add_note(f"parleyd said last:\n{self.log('parleyd.err')[-2000:]}")
            raise

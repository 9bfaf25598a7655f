"""What the flows have in common: the browsers of a turn, their people, and pictures of them."""

import itertools
import os
import tempfile
import unittest
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from browsers import BROWSERS, Browser
from people import URL, await_status, open_chat, register, write
from tab import Tab

NAMES = os.environ.get("PARLEY_BROWSERS", "chromium").split()
PICTURES = os.environ.get("PARLEY_PICTURES")
# The page's files that were loaded, and their bytes.
LOADED = """() => {
    const {getEntriesByType} = performance
    const all = ["navigation", "resource"].flatMap(type => getEntriesByType.call(performance, type))
    const own = all.filter(each => !each.name.includes("/api/"))
    return [own.map(each => new URL(each.name).pathname), own.reduce((sum, each) => sum + each.decodedBodySize, 0)]
}"""
_numbers = itertools.count(1)


def fresh(*names: str) -> list[str]:
    number = next(_numbers)
    return [f"{name}{os.getpid()}-{number}" for name in names]


def meet(one: Tab, alice: str, two: Tab, bob: str, url: str = URL, greeting: str = "Hello") -> None:
    """Both register, and are in their conversation; the first by way of an address of its own, perhaps."""
    register(one, alice, "Alice Moreau", url=url)
    register(two, bob, "Bob Tanaka")
    open_chat(one, bob)
    write(one, greeting)
    two.click(".entry=text:Message requests")
    two.click("button=text:Accept")
    two.sees(greeting, ".bubble")
    await_status(one, greeting, "Read")


class FlowCase(unittest.TestCase):
    maxDiff = None

    @contextmanager
    def browsers(self, theme: str = "light", preferences: dict[str, Any] | None = None) -> Iterator[Browser]:
        """The browser of this turn; a failure names it. The preferences are Firefox's."""
        with (
            tempfile.TemporaryDirectory() as directory,
            BROWSERS[self.browser](Path(directory), theme, preferences) as running,
        ):
            try:
                yield running
                self.assertEqual([each for each in running.failures() if "WebSocket" not in each], [])
            except BaseException as error:
                error.add_note(f"in {self.browser}: {running.failures()[-5:]}")
                raise

    def in_each(self) -> Iterator[None]:
        for self.browser in NAMES:
            yield

    def picture(self, tab: Tab, name: str) -> None:
        if PICTURES and self.browser == "chromium":
            Path(PICTURES).mkdir(exist_ok=True)
            tab.shot(Path(PICTURES) / f"{name}.png")

"""The gateway and door that the tests use, which scripts/test-page.sh has started, and what an operator does at it."""

import os
import queue
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

from bidi import LIMIT
from tab import Tab

URL = os.environ.get("PARLEY_WEB", "http://127.0.0.1:9893")
DATA = Path(os.environ.get("PARLEY_DATA", "data"))
BINARIES = Path(os.environ.get("PARLEY_BINARIES", ".build/release"))
PASSWORD = "a sentence is best"


def parley(*arguments: str, text: str = "", limit: float = 60) -> str:
    """What the tool has printed."""
    done = subprocess.run(
        [BINARIES / "parley", "--data", DATA, *arguments], input=text, capture_output=True, text=True, timeout=limit
    )
    if done.returncode:
        raise AssertionError(f"parley {' '.join(arguments[:2])}: {done.stderr.strip()[-500:]}")
    return done.stdout


class Terminal:
    """`parley chat` of somebody, for as long as its input is open. Use it as a context manager."""

    def __init__(self, device: str, other: str) -> None:
        self._command = [BINARIES / "parley", "--data", DATA, "chat", "--as", device, "--with", other]
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def __enter__(self) -> "Terminal":
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(self._command, stdin=pipe, stdout=pipe, text=True, bufsize=1)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        return self

    def _read(self) -> None:
        for line in self._process.stdout or ():
            self._lines.put(line.rstrip())
        self._lines.put(None)

    def write(self, text: str) -> None:
        assert self._process.stdin
        self._process.stdin.write(f"{text}\n")

    def await_line(self, ending: str) -> None:
        """Until it has printed a line that ends so."""
        self._await(ending, lambda line: line.endswith(ending))

    def await_text(self, text: str) -> None:
        """Until it has printed a line with this in it."""
        self._await(text, lambda line: text in line)

    def _await(self, wanted: str, is_it: Callable[[str], bool]) -> None:
        printed: list[str] = []
        while not printed or not is_it(printed[-1]):
            try:
                line = self._lines.get(timeout=LIMIT)
            except queue.Empty:
                line = None
            if line is None:
                raise AssertionError(f"the terminal has not printed «{wanted}», but {printed}")
            printed.append(line)

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:
            self._process.kill()
        self._process.stdin.close()  # type: ignore[union-attr]
        status = self._process.wait(LIMIT)
        self._reader.join()
        self._process.stdout.close()  # type: ignore[union-attr]
        if kind is None and status:
            raise AssertionError(f"parley chat has ended with {status}")


def code_of(email: str) -> str:
    """From the newest mail, once it is there."""
    end = time.monotonic() + LIMIT
    while True:
        try:
            return parley("code", email).strip()
        except AssertionError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


def register(tab: Tab, user: str, name: str | None = None, url: str = URL) -> None:
    """By the page, as a person does."""
    email = f"{user}@example.org"
    tab.open(f"{url}/")
    tab.click("[role=tab]=text:Register")
    tab.fill("input[name=email]", email)
    tab.fill("input[name=user]", user)
    tab.fill("input[name=name]", name or user.capitalize())
    tab.fill("input[name=password]", PASSWORD)
    tab.click("button[type=submit]")
    tab.sees(f"A code was sent to {email}")
    tab.fill("input[name=code]", code_of(email))
    tab.click("button[type=submit]")
    tab.until("list of chats", "() => !!document.querySelector('.entries') && !document.querySelector('.banner')")


def sign_in(tab: Tab, user: str, url: str = URL) -> None:
    tab.open(f"{url}/")
    tab.fill("input[name=email]", f"{user}@example.org")
    tab.fill("input[name=password]", PASSWORD)
    tab.click("button[type=submit]")
    tab.until("list of chats", "() => !!document.querySelector('.entries')")


def open_chat(tab: Tab, user: str) -> None:
    """The conversation with a user, made if there is none."""
    tab.click("button=text:New conversation")
    tab.fill("input[name=who]", user)
    tab.press("Enter")
    is_open = "() => !!document.querySelector('.composer-input') && !document.querySelector('dialog[open]')"
    tab.until("conversation", is_open)


def write(tab: Tab, text: str) -> None:
    tab.fill(".composer-input", text)
    tab.press("Enter")
    tab.sees(text, ".bubble")


def await_status(tab: Tab, text: str, *wanted: str) -> None:
    """Until the page says one of these of an own message: sent, delivered, read."""
    tab.until(
        f"{wanted} of «{text}»",
        """(text, wanted) => wanted.includes([...document.querySelectorAll(".row.own")].find(row =>
            row.innerText.includes(text))?.querySelector(".status")?.getAttribute("aria-label"))""",
        text, list(wanted),
    )  # fmt: skip

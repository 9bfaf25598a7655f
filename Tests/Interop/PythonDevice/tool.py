"""The project's own command-line tool, as a process: `parley send`, `parley listen` and the rest."""

import json
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from device import LIMIT
from identities import Address

Line = dict[str, Any]


class ToolFailed(Exception):
    """The tool ended with another status than 0."""

    def __init__(self, arguments: tuple[str, ...], status: int, errors: str) -> None:
        super().__init__(f"parley {' '.join(arguments)} ended with status {status}: {errors.strip()}")
        self.status = status
        self.errors = errors


class Tool:
    """Runs `parley` for the gateway of one data directory."""

    def __init__(self, program: Path, data: Path) -> None:
        self._program = program
        self.data = data

    def run(self, *arguments: str, stdin: str | None = None) -> str:
        """Runs it to its end and returns what it printed."""
        done = subprocess.run(
            self.command(*arguments), input=stdin, stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True, encoding="utf-8", timeout=2 * LIMIT,
        )  # fmt: skip
        if done.returncode != 0:
            raise ToolFailed(arguments, done.returncode, done.stderr)
        return done.stdout

    def add(self, address: Address, *, new_user: bool = True) -> Address:
        if new_user:
            self.run("user", "add", address.user, "--message-privacy", "anyone")
        self.run("device", "add", address.user, address.device)
        return address

    def send(self, sender: Address, text: str, *options: str) -> Line:
        """Sends a text, given on standard input, and returns the reply's `data`."""
        reply = self.run("send", "--as", "/".join(sender), *options, "-", stdin=text)
        return json.loads(reply)["data"]

    def request(self, sender: Address, operation: str, fields: Line) -> Line:
        return json.loads(self.run("request", "--as", "/".join(sender), operation, json.dumps(fields)))["data"]

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            self.command(*arguments), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            encoding="utf-8",
        )  # fmt: skip

    def command(self, *arguments: str) -> list[str]:
        return [str(self._program), *arguments, "--data", str(self.data), "--timeout", str(LIMIT)]


class Listener:
    """A `parley listen --json` that runs. Use it as a context manager."""

    def __init__(self, tool: Tool, address: Address, *options: str) -> None:
        self.address = address
        self._process = tool.start("listen", "--as", "/".join(address), *options, "--json")
        self._changed = threading.Condition()
        self._ended = False
        self.lines: list[Line] = []
        self._errors: list[str] = []
        self._threads = [threading.Thread(target=target) for target in (self._read, self._read_errors)]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> "Listener":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(LIMIT)
        for thread in self._threads:
            thread.join(LIMIT)
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            pipe.close()

    def opened(self, message_id: str) -> Line:
        """Waits for a message that could be opened, if not at once: then when the sender's keys were fetched."""
        return self.wait(
            lambda: next((line for line in self.lines if line["id"] == message_id and "content" in line), None),
            f"message {message_id}, opened",
        )

    def refused(self, message_id: str) -> str:
        """Waits for a message that could not be opened, and returns the code of the reason."""
        return self.wait(
            lambda: next(
                (line["error"]["code"] for line in self.lines if line["id"] == message_id and "error" in line), None
            ),
            f"message {message_id}, refused",
        )

    def wait(self, condition: Callable[[], Any], what: str) -> Any:
        """Waits for a condition on `lines`."""
        with self._changed:
            self._changed.wait_for(lambda: condition() or self._ended, LIMIT)
            result = condition()
        if not result:
            raise TimeoutError(
                f"parley listen of {'/'.join(self.address)} {'ended' if self._ended else 'did not print'}: {what}; "
                f"it printed {self.lines[-3:]} and said {''.join(self._errors)}"
            )
        return result

    def _read(self) -> None:
        for text in self._process.stdout or ():
            with self._changed:
                self.lines.append(json.loads(text))
                self._changed.notify_all()
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def _read_errors(self) -> None:
        for text in self._process.stderr or ():
            self._errors.append(text)

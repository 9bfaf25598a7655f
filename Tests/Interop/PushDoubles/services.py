"""The doubles as a process of a test's own. Use it as a context manager."""

import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

# In seconds. Nothing is decided by how long it takes, short of this.
LIMIT = 120

Record = dict[str, Any]


class Services:
    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def __enter__(self) -> "Services":
        # The kernel stops it if this process ends without having done so: its standard input ends.
        program = Path(__file__).parent / "doubles.py"
        self._process = subprocess.Popen(
            [sys.executable, program, self.directory], stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0
        )
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            raise ChildProcessError("the doubles did not start")
        self.ports: dict[str, Any] = json.loads(line)
        self.settings: dict[str, Any] = self.ports.pop("settings")
        self._records: list[Record] = []
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    # What is asked of them

    def call(self, path: str, fields: dict[str, Any] | None = None) -> Any:
        url = f"http://127.0.0.1:{self.ports['control']}{path}"
        data = None if fields is None else json.dumps(fields).encode()
        with urllib.request.urlopen(urllib.request.Request(url, data), timeout=2 * LIMIT) as reply:
            return json.load(reply)

    def plan(self, service: str, key: str, *answers: dict[str, Any], always: dict[str, Any] | None = None) -> None:
        self.call("/answers", {"service": service, "key": key, "answers": answers, "always": always})

    def release(self) -> None:
        self.call("/release", {})

    def apns_device(self, topic: str = "app.parley") -> dict[str, str]:
        """The fields of a `push/register`."""
        return {"provider": "apns", "token": self.call("/apns", {"topic": topic})["token"], "topic": topic}

    def fcm_device(self) -> dict[str, str]:
        return {"provider": "fcm", "token": self.call("/fcm", {})["token"]}

    def subscription(self, server_key: str | None = None) -> dict[str, str]:
        """`server_key`: the one application server that the subscription is for, as browsers have it."""
        made = self.call("/subscribe", {"server_key": server_key})
        return {"provider": "webpush"} | {name: made[name] for name in ("endpoint", "p256dh", "auth")}

    def hook(self, scheme: str = "https") -> dict[str, str]:
        made = self.call("/hook", {})
        return {"provider": "webhook", "endpoint": made[scheme], "secret": made["secret"]}

    # What has come

    def records(self, wait: float = 0) -> list[Record]:
        """All so far."""
        self._records += self.call(f"/records?after={len(self._records)}&wait={wait}")
        return self._records

    def until(self, what: str, condition: Callable[[list[Record]], Any]) -> Any:
        """Waits until something holds of all that has come, and returns it."""
        end = time.monotonic() + LIMIT
        while not (result := condition(self.records())):
            left = end - time.monotonic()
            if left <= 0:
                last = "\n".join(map(summary, self._records[-8:]))
                raise TimeoutError(f"waited in vain for {what}; of {len(self._records)} records the last:\n{last}")
            self._records += self.call(f"/records?after={len(self._records)}&wait={min(left, 5)}")
        return result


def summary(record: Record) -> str:
    """A line for people."""
    found = record.get("object") or {}
    what = " ".join(
        f"{name}={found.get(name)}" for name in ("type", "user_id", "device_id", "conversation_id", "seq", "badge")
    )
    how = " ".join(
        f"{name}={record.get(name)}" for name in ("status", "fault", "taken", "why", "answer") if record.get(name)
    )
    return f"{record['number']} {record['service']} {(record['key'] or '')[:12]} {how} {what}"


def key_of(target: dict[str, str]) -> str:
    """By which the records and plans of a registration's service go."""
    return target["token"] if "token" in target else target["endpoint"].rpartition("/")[2]

"""A thousand notifications a second beside messages, and how fast messages are while the push service fails.

`load.py [--seconds S]`. One device sends 120 messages a second to six groups by turns, whose nine other members each are
away and registered with APNs: 1,080 notifications a second, 20 for each phone, which gets one after the other. HAProxy stands in for Apple: a double in Python could not keep up.
Standard output gets a row for each way in which the service answers: the median and the 99th percentile of a message
(request to reply), what the service has got a second, and what parleyd has used. The status is 1 if the service that
answers got fewer than 1,000 a second, or messages were slower by more than a tenth (and 0.2 ms) beside one that fails
than beside the one that answers. Each has a gateway of its own, and they take turns.
"""

import argparse
import base64
import contextlib
import itertools
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from authority import make_apple_account, make_certificates
from device import Device
from gateway import Gateway
from identities import Address
from launch import BINARIES
from ports import free_ports
from services import LIMIT
from tool import Tool

RATE, GROUPS, MEMBERS = 120, 6, 9
LEAST = 1000
# In seconds.
TURN = 2
ANSWERS = {
    "answers": 'http-request return status 200 hdr apns-id "%[req.hdr(apns-id)]"',
    "hangs": "http-request tarpit",
    "500": """http-request return status 500 content-type application/json string '{"reason":"InternalServerError"}'""",
    "429": """http-request return status 429 content-type application/json string '{"reason":"TooManyRequests"}'""",
}


class Apple:
    """HAProxy with a port for each way of answering."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self.ports = dict(zip(ANSWERS, free_ports(len(ANSWERS)), strict=True))
        self.certificates = make_certificates(directory)
        both = directory / "both.pem"
        both.write_bytes(self.certificates.certificate.read_bytes() + self.certificates.key.read_bytes())
        frontends = "\n".join(
            f"frontend f{name}\n  bind 127.0.0.1:{self.ports[name]} ssl crt {both} alpn h2\n  {rule}"
            for name, rule in ANSWERS.items()
        )
        (directory / "haproxy.cfg").write_text(
            f"global\n  stats socket {directory}/stats.sock\n  maxconn 2000\n  nbthread 1\n"
            "defaults\n  mode http\n  option http-buffer-request\n  timeout client 100s\n  timeout connect 5s\n"
            "  timeout server 5s\n  timeout tarpit 100s\n"
            f"{frontends}\n"
        )

    def __enter__(self) -> "Apple":
        program = shutil.which("haproxy") or "/usr/sbin/haproxy"
        self._process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", "--", program, "-db", "-f", str(self._directory / "haproxy.cfg")],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, process_group=0,
        )  # fmt: skip
        end = time.monotonic() + LIMIT
        while not (self._directory / "stats.sock").exists():
            if self._process.poll() is not None or time.monotonic() > end:
                raise ChildProcessError("HAProxy did not start")
            time.sleep(0.01)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()

    def requests(self, name: str) -> int:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(self._directory / "stats.sock"))
            connection.sendall(b"show stat\n")
            text = b"".join(iter(lambda: connection.recv(1 << 16), b"")).decode()
        heads, *rows = [line.split(",") for line in text.strip().splitlines()]
        at = heads.index("req_tot")
        return next(int(row[at] or 0) for row in rows if row[0] == f"f{name}" and row[1] == "FRONTEND")


@dataclass
class Row:
    name: str
    median: float
    high: float
    pushes: float
    cpu: float
    memory: float

    def cells(self) -> str:
        return (
            f"| {self.name} | {self.median * 1000:.2f} ms | {self.high * 1000:.2f} ms | {self.pushes:.0f} "
            f"| {self.cpu * 100:.0f} % | {self.memory:.0f} MB |"
        )


class Groups:
    """Some, their sender, and nine others in each who are away."""

    def __init__(self, gateway: Gateway, is_registered: bool) -> None:
        tool = Tool(BINARIES / "parley", gateway.data)
        self._sender = tool.add(Address("sender", "phone"))
        self._data = gateway.data
        groups = [[f"away{group}-{number}" for number in range(MEMBERS)] for group in range(GROUPS)]
        for user in itertools.chain.from_iterable(groups):
            address = tool.add(Address(user, "phone"))
            if is_registered:
                with Device(gateway.data, address) as device:
                    target = {"provider": "apns", "token": os.urandom(32).hex(), "topic": "app.parley"}
                    device.request("push/register", target)
        with Device(gateway.data, self._sender) as device:
            fields = {"type": "group", "name": "Group"}
            self._conversations = [
                device.request("conversations/create", {"id": str(uuid.uuid4()), "participant_ids": users, **fields})["id"]
                for users in groups
            ]

    def send(self, seconds: float) -> list[float]:
        """At an even rate, whatever the replies; how long each took."""
        times: list[float] = []
        with Device(self._data, self._sender) as device:
            begun, waiting = time.monotonic(), list[Future[dict[str, Any]]]()
            for number in range(int(seconds * RATE)):
                due = begun + number / RATE
                if (left := due - time.monotonic()) > 0:
                    time.sleep(left)
                sent = time.monotonic()
                reply = device.ask("messages/send", self._message(self._conversations[number % GROUPS]))
                reply.add_done_callback(lambda _, sent=sent: times.append(time.monotonic() - sent))
                waiting.append(reply)
            for reply in waiting:
                reply.result(LIMIT)
        return times

    @staticmethod
    def _message(conversation: str) -> dict[str, Any]:
        return {
            "id": str(uuid.uuid4()), "conversation_id": conversation, "message_type": "text",
            "suite": "group-box", "encrypted_content": base64.b64encode(os.urandom(256)).decode(),
            "nonce": base64.b64encode(os.urandom(24)).decode(),
        }  # fmt: skip


class Way:
    """A gateway with a push service of one kind, and what was measured of it."""

    def __init__(self, name: str, apple: Apple, directory: Path, stack: contextlib.ExitStack) -> None:
        self.name, self._apple = name, apple
        self._answer = name if name in ANSWERS else "answers"
        account = make_apple_account()
        settings = {
            "apns_key_file": str(account.write(directory)), "apns_key_id": account.key_id,
            "apns_team_id": account.team_id, "apns_url": f"https://localhost:{apple.ports[self._answer]}",
            "push_trust_file": str(apple.certificates.authority),
        }  # fmt: skip
        self._gateway = stack.enter_context(Gateway(directory / f"data-{name.split()[0]}", None, **settings))
        stack.enter_context(self._gateway.blamed())
        self._groups = Groups(self._gateway, is_registered=name in ANSWERS)
        self._times: list[float] = []
        self._requests, self._cpu, self._took = 0, 0.0, 0.0

    def measure(self, seconds: float) -> None:
        before, cpu, started = self._apple.requests(self._answer), self._gateway.usage("parleyd").cpu, time.monotonic()
        self._times += self._groups.send(seconds)
        if self.name in ANSWERS:
            self._requests += self._apple.requests(self._answer) - before
        self._took += time.monotonic() - started
        self._cpu += self._gateway.usage("parleyd").cpu - cpu

    def forget(self) -> None:
        self._times, self._requests, self._cpu, self._took = [], 0, 0.0, 0.0

    @property
    def row(self) -> Row:
        times = sorted(self._times)
        return Row(
            self.name, times[len(times) // 2], times[len(times) * 99 // 100], self._requests / self._took,
            self._cpu / self._took, self._gateway.usage("parleyd").peak / 1_048_576,
        )  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=10)
    seconds = parser.parse_args().seconds
    with contextlib.ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="push-load-")))
        apple = stack.enter_context(Apple(directory))
        ways = [Way(name, apple, directory, stack) for name in ("nobody registered", *ANSWERS)]
        for way in ways:
            way.measure(TURN)
            way.forget()
        for _ in range(max(1, round(seconds / TURN))):
            # By turns, so that what else the machine does falls on all of them.
            for way in ways:
                way.measure(TURN)
        rows = {way.name: way.row for way in ways}
    print("| push service | median | 99 % | requests at it a second | CPU of parleyd | memory |")
    print("| --- | --- | --- | --- | --- | --- |")
    for row in rows.values():
        print(row.cells())
    return 1 if any([fault(rows, way) for way in ANSWERS]) else 0


def fault(rows: dict[str, Row], way: str) -> bool:
    if way == "answers":
        is_fault = rows[way].pushes < LEAST
        what = f"{rows[way].pushes:.0f} notifications a second"
    else:
        is_fault = rows[way].median > 1.1 * rows["answers"].median + 0.0002
        what = f"messages take {rows[way].median * 1000:.2f} ms while the service has the fault: {way}"
    if is_fault:
        print(f"FAULT: {what}")
    return is_fault


if __name__ == "__main__":
    sys.exit(main())

"""Sends marker texts through the system and looks for them wherever the gateway could have left them.

Run by scripts/test-secrecy.sh. Every marker begins with the same random characters, so that looking for those finds
each of them. A control, planted in the clear in every form that is looked for, must be found by the same search.
"""

import argparse
import contextlib
import itertools
import os
import secrets
import shutil
import signal
import string
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import paho.mqtt.client as mqtt

from device import LIMIT, Device, eventually
from identities import Address
from messenger import Messenger, text_of
from search import Forms, Place, search_core, search_file, search_memory
from tool import Tool

# Requests under way at once: less than what the broker keeps for the gateway.
WINDOW = 500


class Operator:
    """Keeps every byte that an operator is shown: the payloads with their topics, and what `parley tail` prints."""

    def __init__(self, tool: Tool, directory: Path) -> None:
        self.payloads, self.tail = directory / "operator.events", directory / "operator.tail"
        self._file = self.payloads.open("wb", buffering=0)
        self._tail_file = self.tail.open("wb")
        self._tool = tool

    def __enter__(self) -> "Operator":
        self._tail = subprocess.Popen(self._tool.command("tail", "--stats", "--retained"), stdout=self._tail_file, stderr=subprocess.DEVNULL)
        self.device = Device(self._tool.data, Address("operator", "console"), sink=self._keep)
        self.device.__enter__()
        self.device.subscribe("parley/v1/#")
        return self

    def __exit__(self, *_: object) -> None:
        self.device.__exit__()
        self._tail.terminate()
        self._tail.wait(LIMIT)

    def _keep(self, message: mqtt.MQTTMessage) -> None:
        self._file.write(message.topic.encode() + b" " + message.payload + b"\n")

    def await_bytes(self, expected: bytes) -> None:
        """Waits until both have seen it."""
        eventually(
            f"{expected!r} in all that the operator sees",
            lambda: all(expected in path.read_bytes() for path in (self.payloads, self.tail)),
        )


class Planting:
    """Three users: alice and bob with devices of this implementation, carol with the project's own tool."""

    def __init__(self, tool: Tool, stem: str, count: int, by_tool: int) -> None:
        self._tool, self._stem, self._numbers = tool, stem, itertools.count(1)
        self._count, self._by_tool = count, by_tool
        self.expected: dict[str, str] = {}

    def marker(self) -> str:
        return f"{self._stem}-{next(self._numbers):05}"

    def plant(self, stack: contextlib.ExitStack) -> "Messenger":
        """Sends all, and returns bob's device when it has received and opened every one of them."""
        alice = self._messenger(stack, Address("alice", "laptop"))
        bob = self._messenger(stack, Address("bob", "laptop"))
        carol = self._tool.add(Address("carol", "phone"))
        direct = bob.conversation_with("alice")
        bob.conversation_with("carol")
        alice.conversation_with("bob")
        group = make_group(bob, "Three")
        # What is queued for a device that is away stands in the broker's own file.
        self._tool.add(Address("bob", "sleeper"), new_user=False)
        with Device(self._tool.data, Address("bob", "sleeper"), stored_session=True) as sleeper:
            sleeper.subscribe(f"parley/v1/conversations/{direct}/messages")

        for number in range(self._by_tool):
            text = self.marker()
            suites = [["--to", "bob", "--suite", "nacl-box"], ["--to", "bob"], ["--conversation", group]]
            self.expected[self._tool.send(carol, text, *suites[number % 3])["id"]] = text
        self._pipeline(alice, self._sealed(alice, bob, direct, group))
        self._await_all(bob)
        for conversation in (direct, group):
            if {opened["text"] for opened in map(bob.open, bob.history(conversation))} - set(self.expected.values()):
                raise ValueError("the history holds another text")
        return bob

    def _messenger(self, stack: contextlib.ExitStack, address: Address) -> Messenger:
        messenger = Messenger(stack.enter_context(Device(self._tool.data, self._tool.add(address))))
        messenger.publish_keys()
        return messenger

    def _sealed(self, alice: Messenger, bob: Messenger, direct: str, group: str) -> Iterator[dict[str, Any]]:
        to_bob = alice.recipients(["bob"])
        to_group = alice.recipients(["alice", "bob", "carol"])
        ways = [
            (direct, to_bob, "x25519-hkdf-sha256-aes256gcm"), (direct, to_bob, "nacl-box"),
            (group, to_group, "group-box"),
        ]  # fmt: skip
        for number in range(self._count - self._by_tool):
            text = self.marker()
            conversation, recipients, suite = ways[number % 3]
            fields = alice.seal(conversation, {"text": text}, recipients, suite)
            self.expected[fields["id"]] = text
            yield fields

    @staticmethod
    def _pipeline(sender: Messenger, requests: Iterator[dict[str, Any]]) -> None:
        under_way: list[Future[dict[str, Any]]] = []
        for fields in requests:
            under_way.append(sender.device.ask("messages/send", fields))
            if len(under_way) >= WINDOW:
                under_way.pop(0).result(LIMIT)
        for reply in under_way:
            reply.result(LIMIT)

    def _await_all(self, bob: Messenger) -> None:
        eventually("every message at bob's", lambda: len(bob.device.events) >= len(self.expected))
        received = {data["id"]: data for kind, data in bob.device.events if kind == "message.new"}
        for message_id, text in self.expected.items():
            if bob.open(received[message_id]) != {"text": text}:
                raise ValueError("a marker has not arrived as it was sent")


def make_group(bob: Messenger, name: str) -> str:
    fields = {"type": "group", "id": str(uuid.uuid4()), "name": name, "participant_ids": ["alice", "carol"]}
    conversation = bob.device.request("conversations/create", fields)["id"]
    bob.hear(conversation)
    return conversation


def plant_control(bob: Messenger, control: Forms, tool: Tool) -> None:
    """What a careless client would do: it names things by the secret, and sends it in a message without sealing it."""
    raw = control.text.encode()
    with Device(tool.data, tool.add(Address(f"u{control.text}", "phone"))) as named:
        named.request("profile/get")
    name = f"{control.text} {raw.hex()}"
    for shown in (name, raw.hex().upper()):
        conversation = make_group(bob, shown)
        recipients = bob.recipients(["alice", "bob", "carol"])
        for before in range(3):
            fields = bob.seal(conversation, {}, recipients, "group-box")
            clear = bytes(before) + raw + b"padding"
            bob.device.request("messages/send", fields | {"encrypted_content": text_of(clear)})


def save_broker_state(process: int, file: Path) -> None:
    """Has the broker write its file: retained messages, and what waits for devices that are away."""
    before = file.stat().st_mtime_ns if file.exists() else 0
    os.kill(process, signal.SIGUSR1)
    eventually(f"{file} being written", lambda: file.exists() and file.stat().st_mtime_ns > before)


def places(arguments: argparse.Namespace, operator: Operator, marker: Forms, control: Forms) -> Iterator[Place]:
    for directory in (arguments.data, arguments.logs):
        for path in sorted(directory.rglob("*")):
            if path.is_file():
                yield search_file(path, str(path.relative_to(directory)), marker, control)
    for path, name in ((operator.payloads, "events, as an operator sees them"), (operator.tail, "parley tail")):
        yield search_file(path, name, marker, control)
    for process, name in ((arguments.parleyd, "parleyd"), (arguments.mosquitto, "mosquitto")):
        yield search_memory(process, f"memory of {name}", marker, control)
        if shutil.which("gcore"):
            yield search_core(process, f"core dump of {name} (gcore)", marker, control)


# The places where the control, which is in the clear, must show that they were searched.
CONTROLLED = {
    "parley.db", "mosquitto.db", "mosquitto.log", "events, as an operator sees them", "parley tail",
    "memory of parleyd", "memory of mosquitto",
}  # fmt: skip


def verdict(looked: list[Place], marker: Forms) -> list[str]:
    """What is wrong, one sentence each."""
    faults = [f"the marker is in {place.name}, as {', '.join(place.marker)}" for place in looked if place.marker]
    by_name = {place.name: place for place in looked}
    for name in CONTROLLED:
        if name not in by_name:
            faults.append(f"{name} was not searched")
        elif not by_name[name].control and name != "parley.db":
            faults.append(f"the control, which is in {name}, was not found there")
    # What was committed last may stand in the write-ahead log alone.
    if not any(by_name[name].control for name in ("parley.db", "parley.db-wal") if name in by_name):
        faults.append("the control was found neither in the database nor in its write-ahead log")
    for form in marker.patterns:
        if not any(form in place.control for place in looked):
            faults.append(f"the control was found nowhere as {form}")
    return faults


def random_text() -> str:
    """24 characters of the alphabet of ids, two of which have letters in hexadecimal."""
    return "Zo" + "".join(secrets.choice(string.ascii_letters + string.digits) for _ in range(22))


def main() -> int:
    parser = argparse.ArgumentParser()
    for name, kind in (("data", Path), ("logs", Path), ("tool", Path), ("parleyd", int), ("mosquitto", int)):
        parser.add_argument(f"--{name}", type=kind, required=True)
    parser.add_argument("--markers", type=int, required=True)
    parser.add_argument("--by-tool", type=int, required=True)
    arguments = parser.parse_args()
    marker, control = Forms(random_text()), Forms(random_text())
    started = time.monotonic()
    with contextlib.ExitStack() as stack:
        tool = Tool(arguments.tool, arguments.data)
        operator = stack.enter_context(Operator(tool, Path(stack.enter_context(tempfile.TemporaryDirectory()))))
        planting = Planting(tool, marker.text, arguments.markers, arguments.by_tool)
        bob = planting.plant(stack)
        planted = time.monotonic()
        plant_control(bob, control, tool)
        operator.await_bytes(control.text.encode().hex().upper().encode())
        save_broker_state(arguments.mosquitto, arguments.data / "mosquitto.db")
        looked = list(places(arguments, operator, marker, control))
    for place in looked:
        if place.marker or not place.name.startswith("devices/"):
            forms = (", ".join(sorted(found)) or "-" for found in (place.marker, place.control))
            print("{:>12} bytes  {}: marker: {}; control: {}".format(place.size, place.name, *forms))
    faults = verdict(looked, marker)
    for fault in faults:
        print(f"FAULT: {fault}")
    print(
        f"{len(planting.expected)} markers, {arguments.by_tool} of them by parley send, in {planted - started:.1f} s; "
        f"searched {sum(place.size for place in looked) >> 20} MiB in {len(looked)} places for "
        f"{len(marker.patterns)} forms in {time.monotonic() - planted:.1f} s. "
        "What goes to push services is searched by test-push.sh"
    )
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())

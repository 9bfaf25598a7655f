"""kill -9 of parleyd at random moments, while messages to devices that are away flow and services answer after a while.

`kills.py KILLS [SEED]`. Afterwards each device of each member that was away has been notified of every message whose
sender has a reply, and of none twice, but where the answer of the service was lost: that the gateway has counted, and
its repeat has the same id. Standard output gets a table. The status is 1 if that does not hold. With `--plant` services
lie in two ways, and both must be found.
"""

import argparse
import base64
import contextlib
import os
import random
import secrets
import signal
import sqlite3
import sys
import tempfile
import threading
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import device as interop
from device import Device, Refused
from gateway import Gateway
from identities import Address
from launch import BINARIES
from services import LIMIT, Services, key_of
from tool import Tool

# In seconds: how long parleyd lives at most, and how long a service takes to answer.
LONGEST_LIFE, ANSWER_AFTER = 0.8, 0.02
SLOWLY = {"fault": "slow", "ms": int(ANSWER_AFTER * 1000)}
# So many notifications are dropped where that must be found.
DROPS = 3
# A second, by each sender.
RATE = 10
SENDERS = 4

# A device by what its service knows it by, and a message by its conversation and seq.
Key = tuple[str, str, int]
# Of the ids of what was taken, and of what is missing.
Done = Callable[[dict[Key, list[str]], Set[Key]], bool]


@dataclass
class Away:
    """A device that is registered and never connected again."""

    address: Address
    target: dict[str, str]


@dataclass
class Conversation:
    id: str
    sender: Address
    recipients: list[Away]
    # The places in its log whose sender has a reply.
    accepted: list[dict[str, Any]] = field(default_factory=list)


class Sender(threading.Thread):
    """Sends until it is told to stop, and each request until it has a reply."""

    def __init__(self, data: Path, conversations: list[Conversation], stop: threading.Event) -> None:
        super().__init__()
        self._data, self._conversations, self._stop_asked = data, conversations, stop
        self.error: BaseException | None = None
        self.reconnections = -1

    def run(self) -> None:
        try:
            with contextlib.ExitStack() as stack:
                self._connect(stack)
                number = 0
                while not self._stop_asked.wait(1 / RATE):
                    number += 1
                    self._send(stack, self._conversations[number % len(self._conversations)])
        except BaseException as error:
            self.error = error

    def _connect(self, stack: contextlib.ExitStack) -> None:
        stack.close()
        end = time.monotonic() + LIMIT
        while True:
            try:
                self._device = stack.enter_context(Device(self._data, self._conversations[0].sender))
                self.reconnections += 1
                return
            except (ConnectionError, TimeoutError):
                # A gateway that is not ready lets nobody in.
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)

    def _send(self, stack: contextlib.ExitStack, conversation: Conversation) -> None:
        fields = {
            "id": str(uuid.uuid4()), "conversation_id": conversation.id, "message_type": "text", "suite": "nacl-box",
            "encrypted_content": base64.b64encode(os.urandom(120)).decode(),
            "nonce": base64.b64encode(os.urandom(24)).decode(),
        }  # fmt: skip
        end = time.monotonic() + LIMIT
        while True:
            try:
                conversation.accepted.append(self._device.ask("messages/send", fields).result(3) | {"at": time.time()})
                return
            except Refused as refusal:
                if refusal.code != "unavailable":
                    raise
            except TimeoutError:
                self._connect(stack)
            if time.monotonic() > end:
                raise TimeoutError(f"no reply to {fields['id']}")


class Town:
    """Senders, and who is away: half of them with two devices, each service in turn."""

    def __init__(self, gateway: Gateway, services: Services) -> None:
        self._services = services
        self._tool = Tool(BINARIES / "parley", gateway.data)
        self._data = gateway.data
        self.conversations: list[list[Conversation]] = []
        with Device(self._data, Address("operator", "console")) as operator:
            # It is the same after each kill, or the service refuses what comes.
            key = operator.request("gateway/info")["vapid_key"]
        makers = [
            services.hook, services.apns_device, lambda: services.hook("http"), lambda: services.subscription(key),
        ]  # fmt: skip
        away = []
        for index in range(2 * SENDERS):
            user = f"away{index}"
            self._tool.run("user", "add", user, "--message-privacy", "anyone")
            devices = ["phone", "tablet"][: 1 + index % 2]
            away.append(
                [
                    self._register(Address(user, name), makers[(index + place) % 4]())
                    for place, name in enumerate(devices)
                ]
            )
        for index in range(SENDERS):
            sender = self._tool.add(Address(f"sender{index}", "phone"))
            mine = away[2 * index : 2 * index + 2]
            with Device(self._data, sender) as device:
                self.conversations.append([
                    self._converse(device, sender, [mine[0]]),
                    self._converse(device, sender, [mine[1]]),
                    self._converse(device, sender, [mine[0], mine[1]]),
                ])  # fmt: skip

    def plant(self) -> Done:
        """One service says that it has taken notifications and drops them, another takes one and says that it could not,
        twice: what must be found, also where a kill explains one of them. Returns whether that has happened."""
        hooks = [each.target for mine in self.conversations for each in mine[0].recipients + mine[1].recipients]
        dropping, lying = [target for target in hooks if target["provider"] == "webhook"][:2]
        drops, lies = [{"status": 204, "taken": False}] * DROPS, [{"status": 500, "taken": True}] * 2
        self._services.plan("webhook", key_of(dropping), *drops, always=SLOWLY)
        self._services.plan("webhook", key_of(lying), *lies, always=SLOWLY)
        return lambda found, missing: (
            1 <= len(missing) <= DROPS
            and all(key[0] == key_of(dropping) for key in missing)
            and any(key[0] == key_of(lying) and len(ids) > 2 for key, ids in found.items())
        )

    def _register(self, address: Address, target: dict[str, str]) -> Away:
        self._tool.run("device", "add", *address)
        with Device(self._data, address) as device:
            device.request("push/register", target)
        self._services.plan(
            target["provider"], key_of(target), always={"fault": "slow", "ms": int(ANSWER_AFTER * 1000)}
        )
        return Away(address, target)

    @staticmethod
    def _converse(device: Device, sender: Address, members: list[list[Away]]) -> Conversation:
        users = [devices[0].address.user for devices in members]
        kind = {"type": "direct"} if len(users) == 1 else {"type": "group", "id": str(uuid.uuid4()), "name": "Group"}
        made = device.request("conversations/create", {**kind, "participant_ids": users})
        return Conversation(made["id"], sender, [away for devices in members for away in devices])


@dataclass
class Count:
    """What came of it."""

    expected: int = 0
    missing: list[Key] = field(default_factory=list)
    # A later one of the conversation took the place of one that had failed, and has come.
    superseded: int = 0
    # Notifications that were taken more than once, and those of them that the gateway does not know of.
    repeated: int = 0
    uncounted: list[str] = field(default_factory=list)
    other_ids: list[Key] = field(default_factory=list)
    unexpected: int = 0
    complaints: int = 0

    @property
    def finds_plants(self) -> bool:
        return (
            1 <= len(self.missing) <= DROPS and len(self.uncounted) == 1 and not self.other_ids and not self.complaints
        )  # fmt: skip

    @property
    def holds(self) -> bool:
        return not (self.missing or self.uncounted or self.other_ids or self.complaints)


def wanted(town: Town) -> dict[Key, tuple[str, Address]]:
    """What is due: the message's id and the device's address."""
    return {
        (key_of(away.target), conversation.id, message["seq"]): (message["id"], away.address)
        for mine in town.conversations for conversation in mine
        for message in conversation.accepted for away in conversation.recipients
    }  # fmt: skip


def taken(services: Services) -> dict[Key, list[str]]:
    """Ids, for each device and message."""
    found: defaultdict[Key, list[str]] = defaultdict(list)
    for record in services.records():
        what = record.get("object")
        if record["taken"] and what and what["type"] == "message":
            found[record["key"], what["conversation_id"], what["seq"]].append(what["id"])
    return found


def count(town: Town, services: Services, gateway: Gateway, is_done: Done) -> Count:
    expected = wanted(town)

    def has_come(_: object) -> bool:
        found = taken(services)
        return is_done(found, expected.keys() - found.keys())

    with contextlib.suppress(TimeoutError):
        services.until("every notification", has_come)
    found = taken(services)
    counted = Count(
        len(expected), sorted(expected.keys() - found.keys()), unexpected=len(found.keys() - expected.keys())
    )
    counted.complaints = sum(len(record["complaints"]) + (not record["is_valid"]) for record in services.records())
    gateway.end("parleyd")
    with contextlib.closing(sqlite3.connect(f"file:{gateway.data}/push.db?mode=ro", uri=True)) as database:
        for key in list(counted.missing):
            if is_superseded(database, *expected[key]) and any(o[:2] == key[:2] and o[2] > key[2] for o in found):
                counted.missing.remove(key)
                counted.superseded += 1
        for key, ids in found.items():
            if len(ids) == 1:
                continue
            counted.repeated += len(ids) - 1
            if len(set(ids)) > 1:
                counted.other_ids.append(key)
            for identifier in set(ids):
                repeats = counted_repeats(database, identifier)
                if ids.count(identifier) - 1 > repeats:
                    counted.uncounted.append(f"{identifier}: taken {ids.count(identifier)} times, {repeats} repeats")
    return counted


def is_superseded(database: sqlite3.Connection, message: str, address: Address) -> bool:
    query = 'SELECT answer FROM traces WHERE message = ? AND "user" = ? AND device = ?'
    rows = database.execute(query, (uuid.UUID(message).bytes, *address)).fetchall()
    return [row[0] for row in rows] == ["superseded by a later message"]


def counted_repeats(database: sqlite3.Connection, identifier: str) -> int:
    """How many times the gateway has sent it although it may have arrived, as it knows itself."""
    row = database.execute("SELECT repeats FROM traces WHERE id = ?", (uuid.UUID(identifier).bytes,)).fetchone()
    return row[0] if row else 0


def kill(gateway: Gateway, kills: int, source: random.Random) -> None:
    """At moments that begin with parleyd's own start: it is also killed before it is ready."""
    for _ in range(kills):
        gateway.kill_parleyd()
        gateway.launch_parleyd()
        time.sleep(source.uniform(0, LONGEST_LIFE))
    gateway.kill_parleyd()
    gateway.start_parleyd()


def is_everywhere(town: Town, senders: list[Sender]) -> bool:
    """Whether a message was accepted in each conversation, or nothing more comes of it."""
    return any(sender.error for sender in senders) or all(
        conversation.accepted for mine in town.conversations for conversation in mine
    )


def run(kills: int, seed: int, directory: Path, has_plants: bool) -> bool:
    source, started = random.Random(seed), time.monotonic()
    with (
        Services(directory / "services") as services,
        Gateway(directory / "data", services) as gateway,
        gateway.blamed(),
    ):
        town, stop = Town(gateway, services), threading.Event()
        is_done = town.plant() if has_plants else lambda _, missing: not missing
        senders = [Sender(gateway.data, mine, stop) for mine in town.conversations]
        for sender in senders:
            sender.start()
        killing = time.monotonic()
        try:
            kill(gateway, kills, source)
            # On a slow machine no life may have been long enough for a reply.
            services.until("a message in each conversation", lambda _: is_everywhere(town, senders))
        finally:
            stop.set()
            for sender in senders:
                sender.join()
        for sender in senders:
            if sender.error:
                raise sender.error
        killed = time.monotonic()
        counted = count(town, services, gateway, is_done)
        accepted = sum(len(each.accepted) for mine in town.conversations for each in mine)
        print(
            "| kills | messages accepted | notifications due | missing | superseded | repeated | of these uncounted "
            "| of another id | s |"
        )
        print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
        print(
            f"| {kills + 1} | {accepted} | {counted.expected} | {len(counted.missing)} | {counted.superseded} "
            f"| {counted.repeated} "
            f"| {len(counted.uncounted)} | {len(counted.other_ids)} | {killed - killing:.0f} |"
        )
        print(
            f"kills: seed {seed}; {len(services.records())} requests at the services, {counted.complaints} complaints; "
            f"{counted.unexpected} notifications of messages without a reply; {time.monotonic() - started:.0f} s in all"
        )
        for what in (*counted.missing[:5], *counted.uncounted[:5], *counted.other_ids[:5]):
            print(f"{'planted' if has_plants else 'FAULT'}: {what}")
        return counted.finds_plants if has_plants else counted.holds


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("kills", type=int)
    parser.add_argument("seed", type=int, nargs="?", default=secrets.randbelow(1_000_000))
    parser.add_argument("--plant", action="store_true")
    arguments = parser.parse_args()
    print(f"kills: seed {arguments.seed}", file=sys.stderr)
    interop.REPEAT_AFTER = 3
    # So that what was started is stopped in order.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with tempfile.TemporaryDirectory(prefix="push-kills-") as directory:
        return 0 if run(arguments.kills, arguments.seed, Path(directory), arguments.plant) else 1


if __name__ == "__main__":
    sys.exit(main())

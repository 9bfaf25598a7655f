"""Looks for a difference between being blocked and its twin. `scripts/distinguish.sh --help` says the options."""

import argparse
import itertools
import random
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import mqtt
from device import Credentials, Device
from gateway import Gateway
from history import ALICE, CAROL, CHANNELS, MALLORY, PUBLISH, RECONNECT, Author, History, Step, questions
from launch import in_scratch
from observer import Names, Observer

Result = TypeVar("Result")

# No limit is to end a history before it has shown something.
PLENTY = 1_000_000
SETTINGS = {
    "request_burst": PLENTY, "requests_per_second": PLENTY, "typing_interval_ms": 0, "presence_hold_ms": 0,
    "key_fetches_per_hour": PLENTY, "stranger_lookups_per_hour": PLENTY,
    "first_message_burst": PLENTY, "first_messages_per_hour": PLENTY,
}  # fmt: skip
# How well the time of an answer may tell the worlds apart: the chance that a slower answer is of the one, against a half.
TIMING_BOUND = 0.1
# With fewer answers of an operation than this, chance alone goes beyond the bound.
TIMING_LEAST = 200
# In so many histories at least each planted difference is looked for.
PLANT_HISTORIES = 400


def say(text: str) -> None:
    print(f"distinguish: {text}", file=sys.stderr, flush=True)


class World:
    """One gateway, in which histories are carried out, each by people of its own."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self._operator = Device(gateway.local, gateway.operator(), "distinguish")

    def begin(self, history: History) -> None:
        self._people: dict[str, Observer] = {}
        self._names = Names(history.known)
        names = history.names.values()
        self._operator.requests([("admin/add-user", {"user_id": name}) for name in names])
        added = self._operator.requests(("admin/add-device", {"user_id": name, "device_id": "phone"}) for name in names)
        for who, answer in zip(history.names, added, strict=True):
            credentials = Credentials(history.names[who], "phone", answer["password"])
            self._people[who] = Observer(self._gateway.tcp, credentials)
        self._alice = history.names[ALICE]
        # Whether the blocked one has heard whether the other is there.
        self.saw_presence = False
        # Where `info` of the group is published, and what of it was heard last.
        self._group_info = ""
        self._last_info = b""

    def end(self) -> None:
        for person in self._people.values():
            person.close()

    def do(self, step: Step) -> tuple[list[bytes], float]:
        """What the blocked one notices of a step, and how long their own reply took."""
        person, mallory = self._people[step.who], self._people[MALLORY]
        noticed: list[bytes] = []
        seconds = 0.0
        if step.operation == RECONNECT:
            person.close()
            self._people[step.who] = person = Observer(self._gateway.tcp, person.credentials)
        elif step.operation == PUBLISH:
            person.subscribe([f"{mqtt.PREFIX}users/{person.credentials.user}/events"])
            person.ask(step.operation, step.fields)
            # Those who share a conversation are told in one transaction with oneself.
            person.hear(b'"keys.changed"')
        elif step.operation.startswith("typing/") or step.fields.get("reply") == "event":
            person.tell(step.operation, step.fields)
        else:
            reply, seconds = person.ask(step.operation, step.fields)
            if step.who == MALLORY:
                noticed.append(self._names.normal(reply))
        # The gateway publishes in the order in which it has decided: after this reply nothing of the step is to come.
        person.ask("profile/set", {})
        mallory.ask("profile/set", {})
        noticed += self._heard(mallory)
        return noticed, seconds

    def listen(self, history: History) -> list[bytes]:
        """The blocked one subscribes anew to all that they may ever have heard."""
        mallory, names = self._people[MALLORY], history.names
        conversations = [history.direct(ALICE, MALLORY), history.direct(CAROL, MALLORY), history.group]
        filters = [f"conversations/{each}/{channel}" for each in conversations for channel in CHANNELS]
        filters += [f"users/{names[MALLORY]}/#"]
        filters += [f"users/{names[ALICE]}/{channel}" for channel in ("events", "activity", "presence")]
        filters = [mqtt.PREFIX + each for each in filters]
        self._group_info = f"{mqtt.PREFIX}conversations/{history.group}/info"
        mallory.unsubscribe(filters)
        codes = mallory.subscribe(filters)
        mallory.ask("profile/set", {})
        return [b"SUBACK " + codes.hex().encode(), *self._heard(mallory)]

    def ask(self, operation: str, fields: dict[str, Any]) -> tuple[bytes, float]:
        reply, seconds = self._people[MALLORY].ask(operation, fields)
        return self._names.normal(reply), seconds

    def _heard(self, person: Observer) -> list[bytes]:
        heard = []
        for topic, retained, payload in person.heard:
            if topic.endswith("/presence"):
                # It comes when the broker has told the gateway who is there: in no order with anything else.
                self.saw_presence |= f"/{self._alice}/" in topic
                continue
            kind = b"retained" if retained else b"live"
            if topic == self._group_info:
                # Some time after a new name it is published again, in no order with anything else: what says nothing new
                # but names does not count. Of direct conversations everything does.
                payload = re.sub(rb'"username":"[^"]*"', b'"username":"NAME"', payload)
                said = self._names.normal(payload)
                if not retained and said == self._last_info:
                    continue
                self._last_info = said
            heard.append(b"%s %s %s" % (self._names.normal(topic.encode()), kind, self._names.normal(payload)))
        person.heard.clear()
        # Between two topics there is no order.
        return sorted(heard, key=lambda line: line.split(b" ", 1)[0])


@dataclass
class Finding:
    """Where the two worlds differ."""

    history: History
    where: str
    blocked: list[bytes]
    twin: list[bytes]

    def __str__(self) -> str:
        lines = [f"history {self.history.number} differs {self.where}", "before the block:"]
        lines += [f"  {step}" for step in self.history.before]
        lines += ["after it:"] + [f"  {step}" for step in self.history.after]
        for name, seen in (("blocked", self.blocked), ("twin", self.twin)):
            lines += [f"{name}:"] + [f"  {line.decode(errors='replace')}" for line in seen]
        return "\n".join(lines)


@dataclass
class Timing:
    """How long the blocked one waited for each kind of answer, in both worlds."""

    seconds: dict[str, tuple[list[float], list[float]]] = field(default_factory=lambda: defaultdict(lambda: ([], [])))

    def add(self, operation: str, blocked: float, twin: float) -> None:
        self.seconds[operation][0].append(blocked)
        self.seconds[operation][1].append(twin)

    def rows(self) -> Iterator[tuple[str, int, float, float, float]]:
        """Operation, answers, median of each world in milliseconds, and how well they can be told apart."""
        for operation, (blocked, twin) in sorted(self.seconds.items()):
            middle = len(blocked) // 2
            medians = [sorted(each)[middle] * 1000 for each in (blocked, twin)]
            yield operation, len(blocked), *medians, area_under_curve(blocked, twin)


def area_under_curve(ones: list[float], others: list[float]) -> float:
    """The chance that one of `ones` is above one of `others`; a half if nothing can be told from them."""
    ranked = sorted([(value, True) for value in ones] + [(value, False) for value in others])
    above = below = 0
    for _, is_one in ranked:
        if is_one:
            above += below
        else:
            below += 1
    return above / (len(ones) * len(others))


class Plant:
    """A difference that is put in, and must be found."""

    def __init__(self, without: str = "", change: Callable[[list[bytes]], list[bytes]] = lambda seen: seen) -> None:
        self.without, self.change = without, change


# The twin without one of its parts is another world. The others are what a careless gateway would do to the blocked.
PLANTS = {
    "unfollowing": Plant("unfollowing"),
    "privacy": Plant("privacy"),
    "declining": Plant("declining"),
    "echo": Plant(change=lambda seen: [line for line in seen if b'"message.deleted"' not in line]),
    "hidden": Plant(change=lambda seen: [line.replace(b'"status":"sent"', b'"status":"kept"') for line in seen]),
    "code": Plant(change=lambda seen: [line.replace(b'"code":"request_limit"', b'"code":"forbidden"') for line in seen]),
    "suback": Plant(change=lambda seen: [line.replace(b"SUBACK 01", b"SUBACK 87") for line in seen]),
    "keys": Plant(change=lambda seen: [line for line in seen if b'"keys.changed"' not in line]),
    "space": Plant(change=lambda seen: [line.replace(b'"reason":', b'"reason": ') for line in seen]),
}
NOTHING = Plant()


def in_any_order(worlds: tuple[World, World], body: Callable[[World], Result]) -> tuple[Result, Result]:
    """Both results, the blocked one's first. Which world goes first is left to chance, for the second one is warmer."""
    if random.random() < 0.5:
        return body(worlds[0]), body(worlds[1])
    second = body(worlds[1])
    return body(worlds[0]), second


def compare(worlds: tuple[World, World], history: History, plant: Plant, timing: Timing) -> Finding | None:
    """Carries one history out in both worlds, step by step."""
    blocked, twin = worlds
    for world in worlds:
        world.begin(history)
    try:
        for step in history.before:
            if finding := _step(worlds, history, step, NOTHING, None):
                return finding
        for world in worlds:
            world.listen(history)
        acts = itertools.zip_longest(history.block(), history.twin(plant.without))
        seen: tuple[list[bytes], list[bytes]] = ([], [])
        for one, other in acts:
            for world, step, into in ((blocked, one, seen[0]), (twin, other, seen[1])):
                if step is not None:
                    into.extend(world.do(step)[0])
        if plant.change(seen[0]) != seen[1]:
            return Finding(history, "when it happens", *seen)
        for world in worlds:
            world.saw_presence = False
        for step in history.after:
            if finding := _step(worlds, history, step, plant, timing):
                return finding
        heard = [world.listen(history) for world in worlds]
        if plant.change(heard[0]) != heard[1]:
            return Finding(history, "in what can be subscribed to", *heard)
        if blocked.saw_presence or twin.saw_presence:
            return Finding(history, "in whose presence is shown", [b"%d" % blocked.saw_presence], [b"%d" % twin.saw_presence])
        for operation, fields in questions(history):
            (one, first), (other, second) = in_any_order(worlds, lambda world: world.ask(operation, fields))
            timing.add(operation, first, second)
            if plant.change([one]) != [other]:
                return Finding(history, f"in the answer to {operation}", [one], [other])
        return None
    finally:
        for world in worlds:
            world.end()


def _step(
    worlds: tuple[World, World], history: History, step: Step, plant: Plant, timing: Timing | None
) -> Finding | None:
    (blocked, first), (twin, second) = in_any_order(worlds, lambda world: world.do(step))
    if timing is not None and first and step.who == MALLORY:
        timing.add(step.operation, first, second)
    changed = blocked if plant is NOTHING else plant.change(blocked)
    return None if changed == twin else Finding(history, f"at: {step}", blocked, twin)


def search(worlds: tuple[World, World], author: Author, count: int, start: int, plant: Plant, timing: Timing) -> Finding | None:
    """Until a difference is found, or so many histories have none."""
    for number in range(start, start + count):
        if finding := compare(worlds, author.write(number), plant, timing):
            return finding
        if plant is NOTHING and (number + 1 - start) % 100 == 0:
            say(f"{number + 1 - start} histories, no difference")
    return None


def judge(timing: Timing) -> int:
    """Prints how long answers took, and how many operations give the worlds away by it."""
    print(f"{'operation':26}{'answers':>9}{'blocked ms':>12}{'twin ms':>10}{'told apart':>12}")
    breaches = 0
    for operation, count, blocked, twin, chance in timing.rows():
        is_breach = count >= TIMING_LEAST and abs(chance - 0.5) > TIMING_BOUND
        breaches += is_breach
        print(f"{operation:26}{count:>9}{blocked:>12.2f}{twin:>10.2f}{chance:>12.2f}{'  BREACH' if is_breach else ''}")
    return breaches


def run(options: argparse.Namespace, scratch: Path) -> int:
    gateways = [Gateway(scratch / name) for name in ("blocked", "twin")]
    say(f"seed {options.seed}")
    with gateways[0].running(SETTINGS), gateways[1].running(SETTINGS):
        worlds = (World(gateways[0]), World(gateways[1]))
        numbers = itertools.count(0, PLENTY)
        # Few histories have all that some of them take, as a deletion after a block.
        most = max(options.histories, PLANT_HISTORIES)
        for name in PLANTS if options.plants else []:
            finding = search(
                worlds, Author(f"{options.seed} {name}"), most, next(numbers), PLANTS[name], Timing())
            if finding is None:
                say(f"the planted difference {name} was not found in {most} histories")
                return 1
            say(f"the planted difference {name} was found {finding.where}"[:160])
        timing = Timing()
        start = next(numbers)
        if finding := search(worlds, Author(str(options.seed)), options.histories, start, NOTHING, timing):
            print(finding)
            return 1
        breaches = judge(timing)
        print(f"{options.histories} histories: no difference in what is said; {breaches} in how long it takes")
        return 1 if breaches and not options.ignore_time else 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="distinguish.sh", add_help=False)
    parser.add_argument("--histories", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=random.getrandbits(32))
    parser.add_argument("--plants", action="store_true")
    parser.add_argument("--ignore-time", action="store_true")
    options = parser.parse_args()
    return in_scratch("distinguish", options, run)


if __name__ == "__main__":
    sys.exit(main())

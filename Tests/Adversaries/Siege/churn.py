"""Devices come and go, a hundred thousand times; then each of them signs in at its first try and hears what is said.

`scripts/churn.sh --help` says the options. The devices repeat nothing: what is refused once, or closed without CONNACK,
fails the run.
"""

import argparse
import gc
import itertools
import random
import selectors
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from device import Device
from gateway import Gateway
from launch import in_scratch
from ledger import percentile
from population import DEVICES_PER_PAIR, Person, settle
from rounds import WITHOUT_LIMITS
from visit import Visit

# In seconds, for what must come: nothing is decided by how long it takes, short of this.
PATIENCE = 60
# What the broker logs whenever a client is gone before it was served.
NOISE = "Unable to set TCP_NODELAY"
# Of a turn's connects: second connections of a device that is connected.
TAKEOVER_SHARE = 0.2
# Devices that are connected at once. The listeners of the development template take 1,000 each.
AT_ONCE = 640
# Of the connects of devices that keep no session for good, so many keep one all the same.
NOW_AND_THEN_KEPT = 0.25


@dataclass(frozen=True)
class Plan:
    """Times in seconds."""

    pairs: int
    connects: int
    seconds: float
    # In which everybody comes, speaks and goes.
    turn: float


THOROUGH = Plan(pairs=500, connects=100_000, seconds=600, turn=4.8)
SHORT = Plan(pairs=50, connects=3_000, seconds=20, turn=1.25)


def say(sentence: str) -> None:
    print(f"churn.sh: {sentence}", file=sys.stderr, flush=True)


class Churn:
    def __init__(self, gateway: Gateway, pairs: list[list[Person]], plan: Plan) -> None:
        self.gateway, self.pairs, self._plan = gateway, pairs, plan
        self.selector = selectors.DefaultSelector()
        self.people = [person for pair in pairs for person in pair]
        self.counts: Counter[str] = Counter()
        self.failures: Counter[str] = Counter()
        self.sign_ins: list[float] = []
        # Conversation → ids that the gateway must have.
        self.acknowledged: dict[str, set[str]] = {pair[0].conversation: set() for pair in pairs}
        self._members = {pair[0].conversation: pair for pair in pairs}
        # Message → whose sessions stood when it was sent, and have to have it once it is acknowledged.
        self._owing: dict[str, list[Person]] = {}

    def fail(self, why: str, person: Person) -> None:
        self.failures[why] += 1
        if self.failures[why] <= 5:
            mix = f"MQTT {'5' if person.version == 5 else '3.1.1'}, {'WebSocket' if person.websocket else 'TCP'}"
            say(f"FAULT: {person.credentials.client_id()} ({mix}): {why}")

    def spoken(self, conversation: str, message: str) -> None:
        self.counts["messages sent"] += 1
        self._owing[message] = [
            person for person in self._members[conversation] if person.is_kept and person.has_session
        ]

    def acknowledge(self, conversation: str, message: str) -> None:
        known = self.acknowledged[conversation]
        if message not in known:
            known.add(message)
            for person in self._owing.pop(message, []):
                person.owed.add(message)

    # Coming and going

    def run(self) -> None:
        started, done = time.monotonic(), 0
        turns = round(self._plan.seconds / self._plan.turn)
        for turn in range(turns):
            begin = started + turn * self._plan.turn
            connects = self._plan.connects * (turn + 1) // turns - done
            self._turn(connects, begin)
            done += connects
            if turn % max(1, turns // 20) == 0 or turn == turns - 1:
                say(
                    f"{done:,} connects in {time.monotonic() - started:.0f} s, {self.counts['messages sent']:,} messages, "
                    f"{self.failures.total()} faults"
                )

    def _turn(self, connects: int, begin: float) -> None:
        """Some come, say something, are taken over by themselves, and all go at once."""
        takeovers = int(connects * TAKEOVER_SHARE)
        # Those who come once, and once more where there are not devices enough for all to be connected together.
        first = connects - takeovers
        waves = -(-first // min(AT_ONCE, len(self.people)))
        length = self._plan.turn / waves
        for wave in range(waves):
            coming = first * (wave + 1) // waves - first * wave // waves
            taking = takeovers * (wave + 1) // waves - takeovers * wave // waves
            self._wave(random.sample(self.people, coming), taking, begin + wave * length, length)

    def _wave(self, people: list[Person], takeovers: int, begin: float, length: float) -> None:
        visits = self._arrive(people, begin, length * 0.4)
        for visit in visits:
            self._speak(visit)
        taken = [visit for visit in visits if visit.is_open and visit.is_ready][:takeovers]
        self.pump_until(lambda: False, max(0, begin + length * 0.5 - time.monotonic()))
        for visit in taken:
            if visit.is_open:
                visit.is_over = True
                if visit.clean:
                    visit.person.has_session = False
                self.counts["takeovers"] += 1
                visits.append(self._visit(visit.person))
        self._ready(visits[-len(taken) :] if taken else [])
        for visit in visits:
            self._speak(visit)
        self.pump_until(lambda: False, max(0, begin + length * 0.85 - time.monotonic()))
        for number, visit in enumerate(visits):
            visit.depart(disconnects=number % 2 == 0)
        self.pump_until(lambda: False, max(0, begin + length - time.monotonic()))

    def _arrive(self, people: list[Person], begin: float, seconds: float) -> list[Visit]:
        """All of them within so many seconds."""
        visits = []
        for number, person in enumerate(people):
            self.pump_until(lambda: False, begin + seconds * number / len(people) - time.monotonic())
            visits.append(self._visit(person))
        self._ready(visits)
        return visits

    def _ready(self, visits: list[Visit]) -> None:
        if not self.pump_until(lambda: all(visit.is_ready or not visit.is_open for visit in visits), PATIENCE):
            for visit in visits:
                if visit.is_open and not visit.is_ready:
                    self.fail(f"not signed in after {PATIENCE} s", visit.person)

    def _visit(self, person: Person) -> Visit:
        self.counts["connects"] += 1
        is_clean = not person.is_kept and random.random() >= NOW_AND_THEN_KEPT
        if is_clean:
            person.has_session = False
        return Visit(self, person, clean=is_clean)

    @staticmethod
    def _speak(visit: Visit) -> None:
        if visit.is_open and visit.is_ready:
            visit.speak()

    # At the end

    def conclude(self) -> None:
        """Each device signs in, once, and hears what is said then and what it is owed."""
        for pairs in _slices(self.pairs, AT_ONCE // DEVICES_PER_PAIR):
            visits = [self._visit(person) for pair in pairs for person in pair]
            self._ready(visits)
            self.counts["signed in at the first try"] += sum(visit.is_ready for visit in visits)
            last: list[tuple[Visit, str]] = []
            for members in _slices(visits, DEVICES_PER_PAIR):
                speaker = next((visit for visit in members if visit.is_ready), None)
                message = speaker.speak() if speaker else ""
                last += [(visit, message) for visit in members]
            self._hear_out(last)
            for visit in visits:
                visit.depart(disconnects=True)
        say("reading what was kept")
        for pair in self.pairs:
            self._read_back(pair)

    def _hear_out(self, last: list[tuple[Visit, str]]) -> None:
        # Whoever could not sign in hears nothing, and is a fault already.
        waiting = [(visit, message) for visit, message in last if visit.is_ready]

        def has_come() -> bool:
            while waiting and waiting[-1][1] in waiting[-1][0].person.heard and not self._missing(waiting[-1][0].person):
                waiting.pop()
            return not waiting

        self.pump_until(has_come, PATIENCE)
        for visit, message in last:
            if message not in visit.person.heard:
                self.fail("what was said at the end was not heard", visit.person)
            elif visit.is_ready:
                self.counts["heard what was said at the end"] += 1
            if missing := self._missing(visit.person):
                self.failures["messages were acknowledged and not heard"] += len(missing)
                say(f"FAULT: {visit.person.credentials.client_id()} has not heard {len(missing)} of {len(visit.person.owed)}")

    @staticmethod
    def _missing(person: Person) -> set[str]:
        return person.owed - person.heard

    def _read_back(self, pair: list[Person]) -> None:
        """What was acknowledged is in the history."""
        conversation, stored = pair[0].conversation, set()
        with Device(self.gateway.local, pair[0].credentials, "reads") as device:
            fields = {"conversation_id": conversation, "limit": 200}
            while True:
                page = device.request("history/get", fields)
                stored |= {record["id"] for record in page["messages"]}
                if not page["has_more"]:
                    break
                fields = {**fields, "before": page["next_cursor"]}
        if lost := self.acknowledged[conversation] - stored:
            self.failures["messages were acknowledged and are not stored"] += len(lost)

    def pump_until(self, condition: Callable[[], bool], limit: float) -> bool:
        """Serves all connections until the condition holds or so many seconds have passed; whether it holds."""
        end = time.monotonic() + limit
        while not (holds := condition()) and (left := end - time.monotonic()) > 0:
            for key, events in self.selector.select(min(left, 0.05)):
                if key.data.is_open:
                    key.data.ready(events)
        return holds


def _slices(values: list, size: int) -> Iterator[list]:
    iterator = iter(values)
    return iter(lambda: list(itertools.islice(iterator, size)), [])


def report(churn: Churn, gateway: Gateway) -> int:
    counts = churn.counts
    print(f"connects                        {counts['connects']:,}")
    print(f"of these takeovers              {counts['takeovers']:,}")
    print(f"admitted                        {counts['admitted']:,}")
    p50, p99, slowest = (percentile(churn.sign_ins, share) * 1000 for share in (0.5, 0.99, 1))
    print(f"CONNECT to CONNACK, ms          p50 {p50:.1f}, p99 {p99:.1f}, slowest {slowest:.0f}")
    print(f"messages sent                   {counts['messages sent']:,}")
    print(f"acknowledged                    {sum(map(len, churn.acknowledged.values())):,}")
    print(f"deliveries                      {counts['deliveries']:,}")
    print(f"owed to kept sessions           {sum(len(person.owed) for person in churn.people):,}")
    print(f"signed in at the first try      {counts['signed in at the first try']:,} of {len(churn.people):,}")
    print(f"heard what was said at the end  {counts['heard what was said at the end']:,} of {len(churn.people):,}")
    for program in gateway.programs:
        if not gateway.runs(program):
            churn.failures[f"{program} has ended"] += 1
    for why, count in churn.failures.most_common():
        print(f"FAULT {count:,}: {why}")
    if churn.failures:
        for program in gateway.programs:
            lines = [line for line in gateway.log(f"{program}.err").splitlines() if NOISE not in line]
            for line in lines[-5:]:
                say(f"{program}: {line[:400]}")
    sys.stdout.flush()
    return 1 if churn.failures else 0


def run(options: argparse.Namespace, scratch: Path) -> int:
    plan = SHORT if options.short else THOROUGH
    say(f"making {plan.pairs * DEVICES_PER_PAIR:,} devices")
    gateway = Gateway(scratch / "gateway")
    with gateway.running(WITHOUT_LIMITS):
        pairs = settle(gateway, plan.pairs)
    # The one that is judged starts anew, with the settings that it has by default.
    with gateway.running({}):
        churn = Churn(gateway, pairs, plan)
        gc.freeze()
        churn.run()
        churn.conclude()
        return report(churn, gateway)


def main() -> int:
    parser = argparse.ArgumentParser(prog="churn.sh", add_help=False)
    parser.add_argument("--short", action="store_true")
    options = parser.parse_args()
    return in_scratch("churn", options, run)


if __name__ == "__main__":
    sys.exit(main())

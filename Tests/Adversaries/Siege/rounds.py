"""What happens around each attack: a gateway, the honest, quiet, the attack twice, and time to recover after each."""

import json
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

import gathering
from catalogue import Attack
from gateway import Gateway
from honest import Crowd
from launch import Usage
from ledger import Ledger, Phase
from people import Town, fill_groups, fill_unread, found
from report import THOROUGH as THOROUGH_BOUNDS
from report import Memory, Row

# So high that setting up does not meet them; nor does an attack where nothing is to hold it back.
WITHOUT_LIMITS = {
    "request_burst": 10_000_000,
    "requests_per_second": 1_000_000,
    "first_message_burst": 10_000_000,
    "first_messages_per_hour": 10_000_000,
    "key_fetches_per_hour": 10_000_000,
    "stranger_lookups_per_hour": 10_000_000,
    "connections": 1_000_000,
    "connections_per_device": 100_000,
    "connections_per_user": 100_000,
    "connection_names_per_day": 1000,
    "publish_burst": 10_000_000,
    "publishes_per_second": 1_000_000,
    "publish_burst_bytes": 1 << 40,
    "publish_bytes_per_second": 1 << 40,
    "subscribe_burst": 10_000_000,
    "reports_per_hour": 10_000_000,
    "groups_by_others": 10_000_000,
    "open_conversations": 10_000_000,
    "stored_bytes_per_day": 1 << 40,
    "subscribes_per_second": 1_000_000,
}


@dataclass(frozen=True)
class Plan:
    """Times in seconds."""

    rounds: int
    quiet: float
    # How much of the time that each attack asks for.
    share: float
    settling: float
    # What there is before the attacks that want it.
    fillings: dict[str, float]
    # One gateway for all of them, one after another.
    is_shared: bool
    # In which everything must have come that was sent during an attack.
    delivery_limit: float = 30
    settings: dict[str, int] = field(default_factory=dict)


THOROUGH = Plan(
    rounds=2, quiet=8, share=1, settling=3, is_shared=False,
    fillings={
        "unread": 100_000, "groups": 20_000, "own-groups": gathering.OPEN_CONVERSATIONS, "day": 1, "week": 7, "month": 30,
    },
)
SHORT = Plan(
    rounds=1, quiet=1, share=0.2, settling=0.5, is_shared=True,
    fillings={"unread": 5_000, "groups": 500, "own-groups": 200, "day": 0.05, "week": 0.1, "month": 0.2},
    # Attackers who share a gateway are not to use up each other's names.
    settings={"connection_names_per_day": 1000},
)  # fmt: skip
FILLERS = {"unread": fill_unread, "groups": fill_groups, **gathering.FILLERS}


# In seconds, for the broker to come below its mark.
RECOVERY = 60


def say(sentence: str) -> None:
    print(f"siege.sh: {sentence}", file=sys.stderr, flush=True)


class Siege:
    def __init__(
        self, scratch: Path, plan: Plan, without_limits: bool, logs: Path | None = None, *, duration: float = 0,
        after: str = "",
    ) -> None:  # fmt: skip
        """`duration` is how many seconds one round of each attack goes on; `after` what time has gone by before."""
        self._scratch, self._plan, self._logs = scratch, plan, logs
        self._duration, self._after = duration, after
        self._settings = WITHOUT_LIMITS if without_limits else plan.settings
        self._bases: dict[tuple[str, ...], tuple[Gateway, Town]] = {}

    def rows(self, attacks: list[Attack]) -> Iterator[Row]:
        """One row an attack. After one that the gateway has not withstood the next begins with a new one."""
        waiting = list(attacks)
        while waiting:
            together = waiting[:1]
            if self._plan.is_shared:
                together = [attack for attack in waiting if attack.is_for_door == waiting[0].is_for_door]
            for attack, row in zip(together, self._besiege(together), strict=True):
                waiting.remove(attack)
                yield row
                if row.ledger.lost or row.ended:
                    break

    def _besiege(self, attacks: list[Attack]) -> Iterator[Row]:
        """All of these on one gateway that starts anew."""
        fillings = {attack.filling for attack in attacks} | {self._after}
        base, town = self._base(tuple(sorted(fillings - {""})))
        gateway = base.copy_to(self._scratch / "besieged", has_door=attacks[0].is_for_door)
        try:
            with gateway.running(self._settings):
                crowd = Crowd(gateway.tcp, town)
                try:
                    crowd.talk(Phase("warming up"), 1)
                    for attack in attacks:
                        yield self._row(gateway, crowd, attack)
                finally:
                    crowd.close()
        finally:
            self._keep_logs(gateway, attacks[0].name)
            shutil.rmtree(gateway.data, ignore_errors=True)

    def _keep_logs(self, gateway: Gateway, name: str) -> None:
        if self._logs:
            self._logs.mkdir(parents=True, exist_ok=True)
            for program in gateway.programs:
                shutil.copy(gateway.data / f"{program}.err", self._logs / f"{name}-{program}.log")

    def _base(self, fillings: tuple[str, ...]) -> tuple[Gateway, Town]:
        """A gateway with everybody in it and what the attacks are to find there, stopped; made once."""
        if fillings in self._bases:
            return self._bases[fillings]
        data = self._scratch / "-".join(("base", *fillings))
        if fillings:
            empty, town = self._base(())
            gateway = empty.copy_to(data)
            with gateway.running(WITHOUT_LIMITS):
                for filling in fillings:
                    say(f"filling in {filling}: {self._plan.fillings[filling]:,}")
                    FILLERS[filling](gateway, town, self._plan.fillings[filling])
                gateway.settle()
        else:
            gateway = Gateway(data)
            with gateway.running(WITHOUT_LIMITS):
                town = found(gateway)
        self._bases[fillings] = gateway, town
        return gateway, town

    def _row(self, gateway: Gateway, crowd: Crowd, attack: Attack) -> Row:
        quiet, during, after = Phase("quiet"), Phase("during"), Phase("after")
        counts: Counter[str] = Counter()
        crowd.ledger = Ledger()
        crowd.talk(quiet, self._plan.quiet)
        memory = {program: Memory(gateway.usage(program).rss) for program in gateway.programs}
        for _ in range(self._plan.rounds):
            before = {program: gateway.usage(program) for program in memory}
            for program in memory:
                Usage.forget_peak(gateway.pid(program))
            counts.update(self._attack(gateway, crowd, attack, during))
            for program, each in memory.items():
                each.cpu += gateway.usage(program).cpu - before[program].cpu
            is_settled = crowd.settle(self._plan.delivery_limit)
            crowd.talk(after, self._plan.settling)
            self._until_below_the_mark(gateway, crowd, after)
            crowd.settle(self._plan.delivery_limit if is_settled else 1)
            for program, each in memory.items():
                usage = gateway.usage(program)
                each.peak = max(each.peak, usage.peak)
                each.after.append(usage.rss)
        ended = [program for program in gateway.programs if not gateway.runs(program)]
        return Row(
            attack.name, attack.title, quiet, during, crowd.ledger, memory, counts, attack.measure,
            self._seconds(attack) * self._plan.rounds, ended, attack.allowance,
            attack.check(gateway, crowd.town) if attack.check and not ended else [],
        )  # fmt: skip

    def _until_below_the_mark(self, gateway: Gateway, crowd: Crowd, after: Phase) -> None:
        """Everybody talks on until the broker is below its mark, for a minute at most."""
        end = time.monotonic() + RECOVERY
        while gateway.usage("mosquitto").rss >= THOROUGH_BOUNDS.mark and time.monotonic() < end:
            crowd.talk(after, 1)

    def _seconds(self, attack: Attack) -> float:
        """How long one round of it goes on."""
        return self._duration or attack.seconds * self._plan.share

    def _attack(self, gateway: Gateway, crowd: Crowd, attack: Attack, during: Phase) -> dict[str, int]:
        """One round. What the attackers say that they did."""
        seconds = self._seconds(attack)
        described = self._scratch / "field.json"
        described.write_text(
            json.dumps(
                {
                    "seconds": seconds, "town": asdict(crowd.town), "tcp": asdict(gateway.tcp),
                    "websocket": asdict(gateway.websocket),
                }
            )
        )  # fmt: skip
        program = Path(__file__).with_name("attacker.py")
        command = ["setpriv", "--pdeathsig", "KILL", "--", sys.executable, str(program), attack.name, str(described)]
        with subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, process_group=0
        ) as attackers:  # fmt: skip
            try:
                crowd.talk(during, seconds + 0.5)
                output, _ = attackers.communicate(timeout=60)
            finally:
                attackers.kill()
        if attackers.returncode:
            raise RuntimeError(f"the attackers of {attack.name} ended with status {attackers.returncode}")
        return json.loads(output)

"""What an attack is given: where to, as whom, against whom."""

from dataclasses import dataclass

from assault import Assault, Slot
from device import Credentials, Endpoint
from people import ATTACKERS, Town


@dataclass
class Field:
    assault: Assault
    town: Town
    # Where devices sign in.
    tcp: Endpoint
    websocket: Endpoint

    @property
    def mallory(self) -> Credentials:
        """The one attacker of attacks that take but one."""
        return self.town.device(ATTACKERS[0])

    def open(self, *slots: Slot) -> None:
        for slot in slots:
            self.assault.open(slot)

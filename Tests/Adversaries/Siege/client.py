"""A device's connection that is never waited for: MQTT 5 or 3.1.1, over TCP or WebSocket."""

import itertools
import selectors

import mqtt
from connection import Connection
from device import Endpoint
from websocket import Frames, UpgradeRefused, frame, upgrade_request


class Client(Connection):
    """Signs in, acknowledges what it hears, and says what has come to whoever inherits."""

    def __init__(
        self, endpoint: Endpoint, selector: selectors.BaseSelector, connect: bytes, *, version: int = 5,
        websocket: bool = False,
    ) -> None:  # fmt: skip
        self.version = version
        self.is_admitted = False
        self._connect = connect
        self._frames = Frames() if websocket else None
        self._numbers = itertools.count()
        super().__init__(endpoint, selector)
        if websocket:
            self.send(upgrade_request())
        else:
            self.send(connect)

    def transmit(self, packet: bytes) -> None:
        """Sends an MQTT packet."""
        self.send(frame(packet) if self._frames else packet)

    def publish(self, topic: str, payload: bytes, **options) -> int:
        """At QoS 1; its packet id."""
        number = next(self._numbers) % 60_000 + 1
        self.transmit(mqtt.publish(topic, payload, packet_id=number, version=self.version, **options))
        return number

    def subscribe(self, filters: list[str]) -> None:
        self.transmit(mqtt.subscribe(filters, packet_id=65_535, version=self.version))

    def leave(self, *, disconnects: bool = True) -> None:
        """By DISCONNECT, or as a device does whose network is gone."""
        if self.is_open and disconnects:
            self.transmit(mqtt.DISCONNECTING)
        self.close()

    # For whoever inherits

    def admitted(self, session_present: bool) -> None:
        """CONNACK has come."""

    def refused(self, code: int) -> None:
        """CONNACK has come, with a refusal."""

    def subscribed(self, codes: bytes) -> None:
        """SUBACK has come."""

    def acknowledged(self, packet_id: int, code: int) -> None:
        """PUBACK has come; of MQTT 3.1.1 `code` is 0, whatever has become of it."""

    def heard(self, message: mqtt.Message) -> None:
        """A PUBLISH has come. It is acknowledged when this returns."""

    def dismissed(self, code: int) -> None:
        """The broker has sent DISCONNECT; the end of the connection follows."""

    # What comes

    def take(self, data: bytes) -> None:
        if self._frames:
            try:
                was_upgraded = self._frames.is_upgraded
                data = self._frames.feed(data)
            except UpgradeRefused:
                self.ended("no WebSocket")
                return
            if self._frames.is_upgraded and not was_upgraded:
                self.transmit(self._connect)
        for header, body in self.reader.feed(data):
            self._handle(header, body)
            if not self.is_open:
                return

    def _handle(self, header: int, body: bytes) -> None:
        kind = header >> 4
        if kind == mqtt.PUBLISH:
            message = mqtt.Message(header, body, self.version)
            self.heard(message)
            if message.packet_id and self.is_open:
                self.transmit(mqtt.puback(message.packet_id))
        elif kind == mqtt.PUBACK:
            self.acknowledged(int.from_bytes(body[:2], "big"), body[2] if len(body) > 2 else 0)
        elif kind == mqtt.CONNACK and body[1]:
            self.refused(body[1])
        elif kind == mqtt.CONNACK:
            self.is_admitted = True
            self.admitted(bool(body[0] & 1))
        elif kind == mqtt.SUBACK:
            # The length of no properties stands before the codes of MQTT 5.
            self.subscribed(body[3:] if self.version == 5 else body[2:])
        elif kind == mqtt.DISCONNECT:
            self.dismissed(body[0] if body else 0)

"""A gateway of the siege's own: Mosquitto with the plugin, parleyd, and the web door, in a temporary data directory."""

import contextlib
import json
import os
import re
import shutil
import socket
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

from device import Credentials, Endpoint
from launch import BINARIES, ROOT, Launched, StartFailed
from ports import free_ports

# In seconds, for notifications of a month to be decided of.
DECISION_LIMIT = 1800


def is_listening(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Gateway(Launched):
    """And a door before them where there is one, and a web door where it is not left out."""

    def __init__(self, data: Path, has_door: bool = False, has_web_door: bool = True) -> None:
        super().__init__(data)
        self._has_door, self._door_port = has_door, 0
        self._has_web_door, self._web_port = has_web_door, 0

    # Life

    def start(self, settings: dict[str, int | bool]) -> None:
        """Returns when devices can sign in. `settings` is what stands in `parleyd.json`."""
        self.launch(settings, "production" if self._has_door else "development")
        if self._has_web_door:
            self._start_web_door()
        if self._has_door:
            (self._door_port,) = free_ports(1)
            self.start_program("haproxy", ["haproxy", "-db", "-f", str(self._configure_door())])
            self.until("haproxy", lambda: is_listening(self._door_port))

    def _start_web_door(self) -> None:
        command = [str(BINARIES / "parley-web"), "--port", "0", "--broker", f"127.0.0.1:{self.mqtt_port}", "--name", "web"]
        self.start_program("parley-web", command)
        self.until("parley-web", lambda: self.log("parley-web.out").endswith("\n"))
        ready = re.match(r"parley-web: ready, http://127\.0\.0\.1:(\d+)$", self.log("parley-web.out"))
        if not ready:
            raise StartFailed(f"parley-web: {self.log('parley-web.out')}")
        self._web_port = int(ready[1])

    def _configure_door(self) -> Path:
        """HAProxy's configuration, with a certificate that is made on the spot."""
        certificate, key, both = (self.data / name for name in ("door.pem", "door.key", "door-both.pem"))
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
             "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate],
            check=True, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        both.write_bytes(certificate.read_bytes() + key.read_bytes())
        text = (ROOT / "broker-config" / "haproxy.cfg").read_text()
        for name, value in (("DOOR_PORT", self._door_port), ("CERT", both), ("MQTT_PORT", self.mqtt_port)):
            text = text.replace(f"@{name}@", str(value))
        if os.geteuid():
            text = "".join(
                line for line in text.splitlines(keepends=True)
                if not line.strip().startswith(("chroot ", "user ", "group "))
            )  # fmt: skip
        configuration = self.data / "haproxy.cfg"
        configuration.write_text(text)
        return configuration

    def settle(self) -> None:
        """Returns when nothing is left to be decided of notifications: what is written in a minute for a month of a user's
        is more than comes in a minute."""
        with contextlib.closing(sqlite3.connect(f"file:{self.data / 'parley.db'}?mode=ro", uri=True)) as database:
            undecided = "SELECT NOT EXISTS (SELECT 1 FROM push_events)"
            self.until("parleyd", lambda: database.execute(undecided).fetchone()[0], DECISION_LIMIT, pause=0.1)

    def stop(self) -> None:
        """The doors first, then the gateway, then the broker."""
        self.end("haproxy", "parley-web")
        super().stop()

    @contextlib.contextmanager
    def running(self, settings: dict[str, int | bool]) -> Iterator["Gateway"]:
        try:
            self.start(settings)
            yield self
        finally:
            self.stop()

    def copy_to(self, data: Path, has_door: bool = False) -> "Gateway":
        """A gateway that was stopped, once more. Sockets and logs stay behind."""
        shutil.copytree(
            self.data, data, ignore=lambda _, names: [name for name in names if name.endswith((".sock", ".out", ".err"))]
        )
        return Gateway(data, has_door)

    # What is known of it

    @property
    def local(self) -> Endpoint:
        """The broker's own Unix socket."""
        return Endpoint(str(self.data / "run" / "broker.sock"))

    @property
    def tcp(self) -> Endpoint:
        """Where devices sign in: at the door, if there is one."""
        if self._has_door:
            return Endpoint("127.0.0.1", self._door_port, (self.data / "door.pem").read_text())
        return Endpoint("127.0.0.1", self.mqtt_port)

    @property
    def websocket(self) -> Endpoint:
        """Where WebSockets are: at the web door, without TLS."""
        return Endpoint("127.0.0.1", self._web_port)

    @property
    def programs(self) -> list[str]:
        return ["mosquitto", "parleyd", "parley-web"] + (["haproxy"] if self._has_door else [])

    def operator(self) -> Credentials:
        stored = json.loads((self.data / "devices" / "operator" / "console" / "credentials.json").read_text())
        user, device = stored["client_id"].split(":")
        return Credentials(user, device, stored["password"])

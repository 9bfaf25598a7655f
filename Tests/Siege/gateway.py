"""A gateway of the siege's own: Mosquitto with the plugin, and parleyd, in a temporary data directory."""

import contextlib
import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from device import Credentials, Endpoint
from ports import free_ports

ROOT = Path(__file__).resolve().parents[2]
BINARIES = Path(os.environ.get("PARLEY_PRODUCTS") or ROOT / ".build" / "release")
# In seconds, for a program to start or to end.
PATIENCE = 120
# In seconds, for notifications of a month to be decided of.
DECISION_LIMIT = 1800


class StartFailed(Exception):
    """A program did not start; what it said is in the message."""


def is_listening(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@dataclass
class Usage:
    """What a process has used so far, as the kernel counts it."""

    rss: int
    peak: int
    cpu: float

    MEGABYTE = 1 << 20

    @staticmethod
    def of(pid: int) -> "Usage":
        """Memory in bytes, `peak` since `forget_peak`, CPU in seconds."""
        fields = dict(
            line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":" in line
        )
        stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks = int(stat[11]) + int(stat[12])
        return Usage(
            rss=int(fields["VmRSS"].split()[0]) * 1024,
            peak=int(fields["VmHWM"].split()[0]) * 1024,
            cpu=ticks / os.sysconf("SC_CLK_TCK"),
        )

    @staticmethod
    def forget_peak(pid: int) -> None:
        Path(f"/proc/{pid}/clear_refs").write_text("5")


class Gateway:
    """Broker and bridge on loopback, and a door before them where there is one. They end when this process does."""

    def __init__(self, data: Path, has_door: bool = False) -> None:
        self.data = data
        self._has_door = has_door
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._mqtt_port, self._websocket_port, self._door_port = 0, 0, 0

    # Life

    def start(self, settings: dict[str, int | bool]) -> None:
        """Returns when devices can sign in. `settings` is what stands in `parleyd.json`."""
        self._mqtt_port, self._websocket_port, self._door_port = free_ports(3)
        self.data.mkdir(mode=0o700, exist_ok=True)
        self._initialize()
        (self.data / "parleyd.json").write_text(json.dumps(settings))
        self._launch("mosquitto", ["mosquitto", "-c", str(self.data / "mosquitto.conf")])
        self._until("mosquitto", lambda: (self.data / "run" / "broker.sock").exists())
        self._launch("parleyd", [str(BINARIES / "parleyd"), "run", "--data", str(self.data)])
        self._until("parleyd", lambda: "parley: ready" in self.log("parleyd.out"))
        if self._has_door:
            self._launch("haproxy", ["haproxy", "-db", "-f", str(self._configure_door())])
            self._until("haproxy", lambda: is_listening(self._door_port))

    def _initialize(self) -> None:
        (self.data / "run" / "broker.sock").unlink(missing_ok=True)
        subprocess.run(
            [
                BINARIES / "parleyd", "init", "--data", self.data, "--mqtt-port", str(self._mqtt_port),
                "--ws-port", str(self._websocket_port), "--plugin", BINARIES / "libParleyBrokerPlugin.so",
                "--template", ROOT / "broker-config" / f"{'production' if self._has_door else 'development'}.conf",
                *([] if os.geteuid() else ["--allow-root"]),
            ],
            check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip

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
        for name, value in (("DOOR_PORT", self._door_port), ("CERT", both), ("MQTT_PORT", self._mqtt_port)):
            text = text.replace(f"@{name}@", str(value))
        if os.geteuid():
            text = "".join(
                line for line in text.splitlines(keepends=True)
                if not line.strip().startswith(("chroot ", "user ", "group "))
            )  # fmt: skip
        configuration = self.data / "haproxy.cfg"
        configuration.write_text(text)
        return configuration

    def _launch(self, name: str, command: list[str]) -> None:
        # In a process group of its own, so that the terminal's Ctrl-C reaches the siege alone, which stops them in order.
        with open(self.data / f"{name}.out", "wb") as out, open(self.data / f"{name}.err", "wb") as err:
            self._processes[name] = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", "--", *command],
                cwd=self.data, stdin=subprocess.DEVNULL, stdout=out, stderr=err, process_group=0,
            )  # fmt: skip

    def _until(self, name: str, condition) -> None:
        end = time.monotonic() + PATIENCE
        while not condition():
            if not self.runs(name) or time.monotonic() > end:
                raise StartFailed(f"{name} did not start: {self.log(f'{name}.err')[-2000:]}")
            time.sleep(0.01)

    def settle(self) -> None:
        """Returns when nothing is left to be decided of notifications: what is written in a minute for a month of a user's
        is more than comes in a minute."""
        end = time.monotonic() + DECISION_LIMIT
        with contextlib.closing(sqlite3.connect(f"file:{self.data / 'parley.db'}?mode=ro", uri=True)) as database:
            while database.execute("SELECT EXISTS (SELECT 1 FROM push_events)").fetchone()[0]:
                if not self.runs("parleyd") or time.monotonic() > end:
                    raise StartFailed(f"parleyd did not decide of notifications: {self.log('parleyd.err')[-2000:]}")
                time.sleep(0.1)

    def stop(self) -> None:
        """The door first, then the gateway, then the broker; kills what does not end."""
        for name in ("haproxy", "parleyd", "mosquitto"):
            process = self._processes.pop(name, None)
            if process is None:
                continue
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

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

    def runs(self, name: str) -> bool:
        return self._processes[name].poll() is None

    def log(self, name: str) -> str:
        return (self.data / name).read_text(errors="replace")

    def pid(self, name: str) -> int:
        return self._processes[name].pid

    def usage(self, name: str) -> Usage:
        return Usage.of(self.pid(name))

    @property
    def local(self) -> Endpoint:
        """The broker's own Unix socket."""
        return Endpoint(str(self.data / "run" / "broker.sock"))

    @property
    def tcp(self) -> Endpoint:
        """Where devices sign in: at the door, if there is one."""
        if self._has_door:
            return Endpoint("127.0.0.1", self._door_port, (self.data / "door.pem").read_text())
        return Endpoint("127.0.0.1", self._mqtt_port)

    @property
    def websocket(self) -> Endpoint:
        """Where a WebSocket would be, were there any: behind a door there is none."""
        return self.tcp if self._has_door else Endpoint("127.0.0.1", self._websocket_port)

    @property
    def programs(self) -> list[str]:
        return ["mosquitto", "parleyd"] + (["haproxy"] if self._has_door else [])

    def operator(self) -> Credentials:
        stored = json.loads((self.data / "devices" / "operator" / "console" / "credentials.json").read_text())
        user, device = stored["client_id"].split(":")
        return Credentials(user, device, stored["password"])

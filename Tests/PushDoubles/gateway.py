"""A gateway of the test's own: Mosquitto with the plugin, and parleyd, in a temporary data directory."""

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ports import free_ports
from services import LIMIT, Services

ROOT = Path(__file__).resolve().parents[2]
BINARIES = Path(os.environ.get("PARLEY_PRODUCTS") or ROOT / ".build" / "release")

# Nothing of what is tested here is about limits.
WIDE = {
    "request_burst": 1_000_000, "requests_per_second": 1_000_000, "first_message_burst": 1_000_000,
    "stranger_lookups_per_hour": 1_000_000, "publish_burst": 1_000_000, "publishes_per_second": 1_000_000,
    "publish_burst_bytes": 1 << 40, "publish_bytes_per_second": 1 << 40, "connection_names_per_day": 1000,
    "subscribe_burst": 1_000_000, "presence_hold_ms": 0,
}  # fmt: skip


class GatewayEnded(Exception):
    """A program did not start, or ended by itself; what it said is in the message."""


class Gateway:
    """Use it as a context manager. Its programs end when this process does, however that ends."""

    def __init__(self, data: Path, services: Services | None, **settings: Any) -> None:
        """`settings` stand in `parleyd.json` beside those of the doubles; what is `None` is left out."""
        self.data = data
        wanted = WIDE | (services.settings if services else {}) | settings
        self.settings = {name: value for name, value in wanted.items() if value is not None}
        self._broker: subprocess.Popen[bytes] | None = None
        self._parleyd: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "Gateway":
        mqtt_port, websocket_port = free_ports(2)
        self.data.mkdir(mode=0o700, exist_ok=True)
        subprocess.run(
            [
                BINARIES / "parleyd", "init", "--data", self.data, "--mqtt-port", str(mqtt_port), "--ws-port",
                str(websocket_port), "--plugin", BINARIES / "libParleyBrokerPlugin.so", "--template",
                ROOT / "broker-config" / "development.conf", *([] if os.geteuid() else ["--allow-root"]),
            ],
            check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        (self.data / "parleyd.json").write_text(json.dumps(self.settings))
        self._broker = self._launch("mosquitto", [self._mosquitto(), "-c", str(self.data / "mosquitto.conf")])
        try:
            self._until("mosquitto", self._broker, lambda: (self.data / "run" / "broker.sock").exists())
            self.start_parleyd()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for process in (self._parleyd, self._broker):
            if process is None or process.poll() is not None:
                continue
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(LIMIT)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    @staticmethod
    def _mosquitto() -> str:
        # In /usr/sbin, which only root has in PATH.
        return shutil.which("mosquitto") or "/usr/sbin/mosquitto"

    def _launch(self, name: str, command: list[str]) -> "subprocess.Popen[bytes]":
        # In a process group of its own, so that a terminal's Ctrl-C reaches the test alone, which ends them in order.
        with open(self.data / f"{name}.out", "wb") as out, open(self.data / f"{name}.err", "ab") as errors:
            return subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", "--", *command],
                cwd=self.data, stdin=subprocess.DEVNULL, stdout=out, stderr=errors, process_group=0,
            )  # fmt: skip

    def _until(self, name: str, process: "subprocess.Popen[bytes]", condition: Callable[[], bool]) -> None:
        end = time.monotonic() + LIMIT
        while not condition():
            if process.poll() is not None or time.monotonic() > end:
                raise GatewayEnded(f"{name}: {self.log(f'{name}.err')[-3000:]}")
            time.sleep(0.005)

    # parleyd alone

    def launch_parleyd(self) -> "subprocess.Popen[bytes]":
        """Returns at once."""
        self._parleyd = self._launch("parleyd", [str(BINARIES / "parleyd"), "run", "--data", str(self.data)])
        return self._parleyd

    def start_parleyd(self) -> None:
        """Returns when devices can sign in."""
        process = self.launch_parleyd()
        self._until("parleyd", process, lambda: "parley: ready" in self.log("parleyd.out"))

    def kill_parleyd(self) -> None:
        """kill -9."""
        process = self._parleyd
        if process is None or process.poll() is not None:
            raise GatewayEnded(f"parleyd ended by itself: {self.log('parleyd.err')[-3000:]}")
        process.kill()
        process.wait()

    def stop_parleyd(self) -> int:
        """In order. Its status."""
        assert self._parleyd
        self._parleyd.send_signal(signal.SIGTERM)
        return self._parleyd.wait(LIMIT)

    def cpu(self) -> float:
        """What parleyd has used, in seconds."""
        fields = self._proc("stat").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> float:
        """The most that parleyd has used, in megabytes."""
        line = next(line for line in self._proc("status").splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) / 1024

    def _proc(self, name: str) -> str:
        assert self._parleyd
        return Path(f"/proc/{self._parleyd.pid}/{name}").read_text()

    def log(self, name: str) -> str:
        return (self.data / name).read_text(errors="replace")

    @contextmanager
    def blamed(self) -> Iterator[None]:
        """What fails inside is followed by what parleyd said last."""
        try:
            yield
        except BaseException as error:
            error.add_note(f"parleyd said last:\n{self.log('parleyd.err')[-2000:]}")
            raise

"""The client of docs/python chats with `parley`, by TLS, over restarts of the gateway and renewals of its token.

Run by scripts/test-interop.sh, which names the tool in PARLEY_TOOL and the data directory of its own gateway in
PARLEY_DATA. The gateway here is another one, beside it, because it is stopped and started again.
"""

import contextlib
import datetime
import ipaddress
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import unittest
from collections.abc import Callable
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from device import LIMIT, eventually
from identities import Address, direct_conversation_id
from tool import Listener, Tool

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = ROOT / "docs" / "python" / "client.py"


class Gateway:
    """A whole gateway by scripts/run.sh, with a data directory that outlives it."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.ports = [_free_port(), _free_port()]

    def start(self) -> None:
        mqtt_port, web_port = map(str, self.ports)
        arguments = ["--no-install", "--data", str(self.data), "--mqtt-port", mqtt_port, "--web-port", web_port]
        with open(f"{self.data}.log", "a") as log:
            self._process = subprocess.Popen(
                [ROOT / "scripts" / "run.sh", *arguments], stdout=subprocess.PIPE, stderr=log, encoding="utf-8"
            )
        for line in self._process.stdout or ():
            if line.startswith("parley: ready"):
                return
        raise ChildProcessError(Path(f"{self.data}.log").read_text())

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(LIMIT)
        if self._process.stdout is not None:
            self._process.stdout.close()


class SecureRelay:
    """TLS before a gateway's port, by a certificate of its own. Connections can be cut."""

    def __init__(self, directory: Path, target: int) -> None:
        self._target = target
        self.authority = directory / "relay.pem"
        self.authority.write_bytes(_certificate(directory / "relay.key"))
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(self.authority, directory / "relay.key")
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._open: list[socket.socket] = []
        self.is_closed = False
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        while self._open:
            with contextlib.suppress(OSError):
                self._open.pop().shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        while True:
            accepted, _ = self._listener.accept()
            if self.is_closed:
                accepted.close()
                continue
            threading.Thread(target=self._serve, args=(accepted,), daemon=True).start()

    def _serve(self, accepted: socket.socket) -> None:
        with contextlib.suppress(OSError), self._context.wrap_socket(accepted, server_side=True) as client:
            with socket.create_connection(("127.0.0.1", self._target)) as broker:
                self._open += [client, broker]
                other = threading.Thread(target=_copy, args=(broker, client), daemon=True)
                other.start()
                _copy(client, broker)
                other.join()


def _copy(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65_536):
            target.sendall(data)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_RDWR)


def _certificate(key_path: Path) -> bytes:
    key = ec.generate_private_key(ec.SECP256R1())
    key_path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "relay")])
    start = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=1)
    certificate = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(x509.random_serial_number()).not_valid_before(start)
        .not_valid_after(start + datetime.timedelta(days=30))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), True)
        .sign(key, hashes.SHA256())
    )  # fmt: skip
    return certificate.public_bytes(serialization.Encoding.PEM)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class Client:
    """A process of the documented client. Use it as a context manager."""

    def __init__(self, file: Path, peer: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, PROGRAM, file, peer], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, encoding="utf-8",
        )  # fmt: skip
        self._changed = threading.Condition()
        self.lines: list[str] = []
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def kill(self) -> None:
        self._process.kill()
        self._process.wait(LIMIT)
        self._thread.join(LIMIT)
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(BrokenPipeError):
                pipe.close()

    def write(self, *lines: str) -> None:
        self._process.stdin.write("".join(line + "\n" for line in lines))
        self._process.stdin.flush()

    def wait(self, what: str, condition: Callable[[], bool]) -> None:
        with self._changed:
            if not self._changed.wait_for(condition, LIMIT):
                raise TimeoutError(f"waited in vain for {what}; it printed {self.lines}")

    def await_line(self, line: str) -> None:
        self.wait(line, lambda: line in self.lines)

    def status(self) -> int:
        return self._process.wait(LIMIT)

    def _read(self) -> None:
        for line in self._process.stdout or ():
            with self._changed:
                self.lines.append(line.rstrip("\n"))
                self._changed.notify_all()


class DocumentedClient(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        directory = Path(os.environ["PARLEY_DATA"]).parent
        cls.gateway = Gateway(directory / "documented")
        cls.gateway.start()
        cls.addClassCleanup(lambda: cls.gateway.stop())
        cls.tool = Tool(Path(os.environ["PARLEY_TOOL"]), cls.gateway.data)
        cls.bob = cls.tool.add(Address("bob", "phone"))
        cls.relay = SecureRelay(directory, cls.gateway.ports[0])

    def export(self, user: str) -> Path:
        """The file of a new user's laptop, which finds the gateway by TLS."""
        self.tool.run("user", "add", user, "--message-privacy", "anyone")
        file = Path(os.environ["PARLEY_DATA"]).parent / f"{user}.parley"
        place = f"127.0.0.1:{self.relay.port}"
        self.tool.run(
            "device", "export", user, "laptop", "--output", str(file), "--mqtt", place, "--ca",
            str(self.relay.authority),
        )  # fmt: skip
        self.assertEqual(json.loads(file.read_text())["scheme"], "mqtts")
        return file

    def from_bob(self, text: str, to: str) -> dict[str, str]:
        return self.tool.send(self.bob, text, "--to", to)

    def test_it_chats_loses_and_doubles_nothing_over_restarts_and_renews_its_token(self) -> None:
        file = self.export("alice")
        conversation = direct_conversation_id("alice", "bob")
        written = ["one 👋", "two", "three", "four", "five", "six", "seven"]
        heard = [f"bob: {word}" for word in ("eins", "zwei", "drei", "vier")]
        with contextlib.ExitStack() as stack:
            listener = stack.enter_context(Listener(self.tool, self.bob))
            client = stack.enter_context(Client(file, "bob"))
            # Before Bob has keys there is nothing to seal for; the words wait.
            client.write(written[0])
            client.await_line(f"* number 1: {written[0]}")
            received = listener.wait(lambda: [it for it in listener.lines if "content" in it], "the first message")
            self.assertEqual(received[0]["content"], {"text": written[0]})
            sent = self.from_bob("eins", "alice")
            client.await_line(heard[0])
            self.tool.request(
                self.bob, "receipts/read", {"conversation_id": conversation, "message_id": received[0]["id"]}
            )
            client.await_line("* bob has read 1")
            eventually("Alice's receipt", lambda: self.status_of(sent["id"], conversation) == "read")

            # The connection is cut, and the gateway stopped and started.
            self.relay.cut()
            client.write(written[1])
            client.await_line(f"* number 3: {written[1]}")
            self.gateway.stop()
            client.write(*written[2:4])
            self.gateway.start()
            client.await_line(f"* number 5: {written[3]}")
            self.from_bob("zwei", "alice")
            client.await_line(heard[1])

            # The client is killed while words wait, and both sides have written when it comes back.
            self.relay.is_closed = True
            self.relay.cut()
            client.write(written[4])
            state = Path(f"{file}.state")
            eventually("the words on disk", lambda: written[4] in state.read_text())
            client.kill()
            self.from_bob("drei", "alice")
            self.relay.is_closed = False
            again = stack.enter_context(Client(file, "bob"))
            again.await_line(heard[2])
            again.await_line(f"* number 8: {written[4]}")

            # Its token is renewed when two thirds of its time are over.
            former = file.with_suffix(".former")
            shutil.copy(file, former)
            eventually("the end of the token", lambda: until(state.read_text()) == until(file.read_text()))
            again.kill()
            state.write_text(json.dumps(json.loads(state.read_text()) | {"renew_at": 0}))
            last = stack.enter_context(Client(file, "bob"))
            eventually("another token", lambda: token(file) != token(former))
            last.write(*written[5:])
            last.await_line(f"* number 10: {written[6]}")
            self.from_bob("vier", "alice")
            last.await_line(heard[3])

            printed = [line for each in (client, again, last) for line in each.lines if line.startswith("bob: ")]
            self.assertEqual(printed, heard)
            self.assertEqual(self.opened(conversation, 11, "alice"), written)

            # A token that is over signs nobody in, and a device that is revoked is told so.
            with Client(former, "bob") as ended:
                self.assertEqual(ended.status(), 1)
                self.assertEqual(ended.lines, ["* the token is over, or the device was revoked"])
            self.tool.run("device", "revoke", "alice", "laptop")
            self.assertEqual(last.status(), 1)

    def test_it_takes_the_credentials_of_a_data_directory_and_accepts_a_request(self) -> None:
        self.tool.run("user", "add", "carol")
        self.tool.run("device", "add", "carol", "phone")
        file = self.gateway.data / "devices" / "carol" / "phone" / "credentials.json"
        with Listener(self.tool, self.bob) as listener, Client(file, "bob") as client:
            eventually("Carol's keys", lambda: self.has_keys("carol"))
            self.from_bob("may I?", "carol")
            client.await_line("* bob wants to write: /accept bob")
            client.write("/accept bob", "you may")
            client.await_line("bob: may I?")
            line = listener.wait(
                lambda: next((it for it in listener.lines if it.get("content") == {"text": "you may"}), None), "reply"
            )
            self.assertEqual((line["sender_id"], line["seq"]), ("carol", 2))

    def has_keys(self, user: str) -> bool:
        return bool(self.tool.request(self.bob, "keys/get", {"user_id": user})["devices"])

    def status_of(self, message: str, conversation: str) -> str:
        history = self.tool.request(self.bob, "history/get", {"conversation_id": conversation})["messages"]
        return next(record["status"] for record in history if record["id"] == message)

    def opened(self, conversation: str, count: int, sender: str) -> list[str]:
        """The texts of a sender, as Bob opens the whole log."""
        options = ["--conversation", conversation, "--history", "100"]
        with Listener(self.tool, self.bob, *options) as listener:
            lines = listener.wait(lambda: len(listener.lines) >= count and list(listener.lines), f"{count} messages")
        return [line["content"]["text"] for line in lines if line["sender_id"] == sender]


def until(text: str) -> str:
    """When the token ends, of which a state or a device's file tells."""
    data = json.loads(text)
    return data["token_until"] if "token_until" in data else data["credentials"]["expires_at"]


def token(file: Path) -> str:
    return json.loads(file.read_text())["credentials"]["password"]


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    unittest.main(verbosity=2)

"""The churn finds each kind of fault: one planted for each, and none where there is none."""

import contextlib
import io
import json
import selectors
import unittest
from collections.abc import Iterator
from types import SimpleNamespace

import mqtt
from churn import SHORT, Churn, report
from connection import Connection
from device import Credentials
from population import Person
from visit import Visit
from websocket import Frames, UpgradeRefused, frame


def person(name: str, *, is_kept: bool = True) -> Person:
    return Person(
        Credentials(name, "phone", ""), "c", version=5, websocket=False, is_kept=is_kept, has_session=is_kept
    )  # fmt: skip


class Faults(unittest.TestCase):
    def setUp(self) -> None:
        self.one, self.other = person("one"), person("other", is_kept=False)
        self.churn = Churn(SimpleNamespace(programs=[]), [[self.one, self.other]], SHORT)
        self.addCleanup(self.churn.selector.close)
        self.churn.sign_ins.append(0.001)

    def visit(self, whose: Person, *, is_admitted: bool = True) -> Visit:
        """A connection to nobody."""
        visit = Visit.__new__(Visit)
        visit.churn, visit.person, visit.clean = self.churn, whose, not whose.is_kept
        visit.version, visit.is_admitted, visit.is_ready, visit.is_over = 5, is_admitted, is_admitted, False
        visit.is_open, visit._under_way, visit.began = True, {}, 0
        visit._selector, visit.socket = selectors.DefaultSelector(), SimpleNamespace(close=lambda: None)
        visit._is_watched = Connection._is_watched
        self.addCleanup(visit._selector.close)
        return visit

    def faults(self) -> list[str]:
        with contextlib.redirect_stdout(io.StringIO()):
            status = report(self.churn, self.churn.gateway)
        self.assertEqual(status, 1 if self.churn.failures else 0)
        return sorted(self.churn.failures)

    @contextlib.contextmanager
    def saying(self) -> Iterator[None]:
        with contextlib.redirect_stderr(io.StringIO()) as said:
            yield
        self.assertIn("FAULT", said.getvalue())

    def test_nothing_is_found_where_there_is_nothing(self) -> None:
        self.churn.spoken("c", "m")
        self.churn.acknowledge("c", "m")
        self.one.heard.add("m")
        visit = self.visit(self.one)
        visit.is_over = True
        visit.ended("closed")
        self.assertEqual(Churn._missing(self.one), set())
        self.assertEqual(self.faults(), [])

    def test_a_connection_that_is_closed_without_connack(self) -> None:
        with self.saying():
            self.visit(self.one, is_admitted=False).ended("closed")
        self.assertEqual(self.faults(), ["closed without CONNACK (closed)"])

    def test_a_refusal_at_sign_in_and_of_a_request(self) -> None:
        with self.saying():
            self.visit(self.one, is_admitted=False).refused(0x87)
            payload = json.dumps({"ok": False, "error": {"code": "rate_limited"}}).encode()
            topic = "parley/v1/down/one/phone/messages/send/rejected"
            body = mqtt.text(topic) + b"\x00" + payload
            self.visit(self.one).heard(mqtt.Message(0x30, body))
        self.assertEqual(self.faults(), ["CONNACK 0x87", "['messages', 'send']: rate_limited"])

    def test_a_connection_that_is_ended_though_nobody_took_it_over(self) -> None:
        with self.saying():
            self.visit(self.one).ended("closed")
        self.assertEqual(self.faults(), ["put out (closed)"])

    def test_a_session_that_is_gone(self) -> None:
        visit = self.visit(self.one)
        visit.subscribe = lambda filters: None
        with self.saying():
            visit.admitted(session_present=False)
        self.assertEqual(self.faults(), ["a session that was kept is gone"])

    def test_a_message_that_a_kept_session_has_not_heard_is_missing(self) -> None:
        self.churn.spoken("c", "m")
        self.assertEqual(Churn._missing(self.one), set())
        self.churn.acknowledge("c", "m")
        self.assertEqual(Churn._missing(self.one), {"m"})
        self.assertEqual(Churn._missing(self.other), set())


class WebSocket(unittest.TestCase):
    ANSWER = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"

    def test_frames_of_all_lengths_come_out_however_they_are_cut(self) -> None:
        payloads = [b"a" * 3, b"b" * 300, b"c" * 70_000]
        # A server masks nothing: the bit and the four zeros behind the length are a client's.
        stream = self.ANSWER
        for payload in payloads:
            head = bytearray(frame(payload)[: -len(payload) - 4])
            head[1] &= 0x7F
            stream += bytes(head) + payload
        for size in (1, 7, 1000, len(stream)):
            frames = Frames()
            found = b"".join(frames.feed(stream[at : at + size]) for at in range(0, len(stream), size))
            self.assertEqual(found, b"".join(payloads))

    def test_a_server_that_does_not_upgrade(self) -> None:
        with self.assertRaises(UpgradeRefused):
            Frames().feed(b"HTTP/1.1 404 Not Found\r\n\r\n")


if __name__ == "__main__":
    unittest.main()

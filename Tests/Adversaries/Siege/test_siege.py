"""The siege finds each kind of breach: one planted for each, and none where there is none."""

import unittest
from collections import Counter
from dataclasses import replace

import mqtt
from ledger import Ledger, Phase, percentile
from report import MEGABYTE, THOROUGH, Allowance, Memory, Row


def row(ledger: Ledger | None = None, *, during: float = 0.003, memory: Memory | None = None, sent: int = 9) -> Row:
    """A row of an attack that everybody has withstood, but for what is named."""
    quiet, attacked = Phase("quiet", deliveries=[0.001] * 98 + [0.002] * 2), Phase("during", deliveries=[during] * 100)
    sound = Memory(20 * MEGABYTE, 30 * MEGABYTE, [25 * MEGABYTE, 26 * MEGABYTE])
    return Row(
        "attack", "An attack", quiet, attacked, ledger or Ledger(),
        {"mosquitto": sound, "parleyd": memory or sound}, Counter(packets=sent), "packets", 10,
    )  # fmt: skip


def megabytes(*sizes: int) -> Memory:
    before, peak, *after = (size * MEGABYTE for size in sizes)
    return Memory(before, peak, after)


class Breaches(unittest.TestCase):
    def found(self, row: Row) -> str:
        (breach,) = row.breaches(THOROUGH)
        return breach

    def test_nothing_is_found_where_all_was_withstood(self) -> None:
        self.assertEqual(row().breaches(THOROUGH), [])

    def test_a_message_that_one_of_two_has_not_got_is_lost(self) -> None:
        ledger = Ledger()
        ledger.sent("m", ["a", "b"], Phase(""), 0)
        ledger.delivered("m", "a", 1)
        self.assertIn("1 messages of the honest were lost", self.found(row(ledger)))
        ledger.delivered("m", "b", 2)
        self.assertEqual(row(ledger).breaches(THOROUGH), [])

    def test_a_message_that_comes_twice(self) -> None:
        ledger = Ledger()
        ledger.sent("m", ["a"], Phase(""), 0)
        ledger.delivered("m", "a", 1)
        ledger.delivered("m", "a", 2)
        self.assertIn("twice", self.found(row(ledger)))

    def test_a_refusal_and_a_disconnection(self) -> None:
        ledger = Ledger()
        ledger.refuse("rate_limited")
        self.assertIn("rate_limited", self.found(row(ledger)))
        ledger = Ledger()
        ledger.disconnected["a"] += 1
        self.assertIn("disconnected", self.found(row(ledger)))

    def test_an_attack_that_did_nothing(self) -> None:
        self.assertIn("did nothing", self.found(row(sent=0)))

    def test_an_attacker_who_was_not_taken_off(self) -> None:
        allowance = Allowance(is_taken_off=True)
        self.assertIn("not taken off", self.found(replace(row(), allowance=allowance)))
        counts = Counter({"packets": 9, "turned away": 1})
        self.assertEqual(replace(row(), allowance=allowance, counts=counts).breaches(THOROUGH), [])

    def test_latency_against_its_quiet_value_and_at_all(self) -> None:
        self.assertIn("2.0 times", self.found(row(during=0.004)))
        self.assertEqual(len(row(during=0.06).breaches(THOROUGH)), 2)

    def test_memory_that_grows_stays_or_leaks(self) -> None:
        self.assertIn("grew to 600", self.found(row(memory=megabytes(20, 600, 30, 30))))
        self.assertIn("kept 80 MB", self.found(row(memory=megabytes(20, 120, 100, 100))))
        self.assertIn("20 MB more after a second", self.found(row(memory=megabytes(20, 60, 40, 60))))

    def test_a_broker_that_stays_above_its_mark(self) -> None:
        stays = row()
        stays.memory["mosquitto"] = megabytes(240, 280, 270, 260)
        self.assertIn("above its mark a minute later: 260", self.found(stays))

    def test_what_an_attack_may_do_besides(self) -> None:
        allowed = replace(row(during=0.006), allowance=Allowance(p99_against_quiet=4))
        self.assertEqual(allowed.breaches(THOROUGH), [])
        self.assertIn("4.0 times", self.found(replace(row(during=0.008), allowance=allowed.allowance)))
        kept = row(memory=megabytes(20, 120, 100, 100))
        self.assertEqual(replace(kept, allowance=Allowance(kept=90 * MEGABYTE)).breaches(THOROUGH), [])

    def test_more_answers_than_are_allowed(self) -> None:
        asked = replace(row(), allowance=Allowance(most={"not_found": 600}))
        asked.counts["not_found"] = 600
        self.assertEqual(asked.breaches(THOROUGH), [])
        asked.counts["not_found"] = 601
        self.assertIn("not_found: 601", self.found(asked))

    def test_what_is_found_afterwards(self) -> None:
        self.assertEqual(self.found(replace(row(), found_afterwards=["it is gone"])), "it is gone")

    def test_a_program_that_has_ended(self) -> None:
        ended = row()
        ended.ended.append("mosquitto")
        self.assertIn("mosquitto has ended", self.found(ended))


class Measures(unittest.TestCase):
    def test_percentiles_are_values_that_occurred(self) -> None:
        values = [float(value) for value in range(1, 1001)]
        self.assertEqual([percentile(values, share) for share in (0.5, 0.99, 1)], [500, 990, 1000])
        self.assertEqual([percentile([7], 0.99), percentile([], 0.99)], [7, 0])

    def test_packets_are_cut_wherever_the_bytes_are(self) -> None:
        packets = mqtt.puback(7) + mqtt.publish("a/b", b"x" * 300, packet_id=9, correlation=b"c") + mqtt.PINGREQ
        reader = mqtt.Reader()
        found = [packet for byte in packets for packet in reader.feed(bytes([byte]))]
        self.assertEqual([header >> 4 for header, _ in found], [4, 3, 12])
        message = mqtt.Message(*found[1])
        self.assertEqual((message.topic, message.packet_id, message.correlation), ("a/b", 9, b"c"))
        self.assertEqual(message.payload, b"x" * 300)


if __name__ == "__main__":
    unittest.main()

"""The soak finds each thing that grows: one planted for each, and none where all stays as it is."""

import unittest
from collections.abc import Callable
from dataclasses import replace

from report import MEGABYTE
from soak import Sample, Windows, breaches, slope

WINDOWS = Windows.of(60)


def samples(change: Callable[[Sample], Sample] = lambda sample: sample) -> list[Sample]:
    """An hour in which a thousand rows of 800 bytes each are stored every ten seconds, but for what is changed."""
    hour = [
        Sample(
            at=at, broker=20 * MEGABYTE, gateway=40 * MEGABYTE, database=at * 80_000, broker_file=MEGABYTE,
            stored=at * 100, p50=0.001, p99=0.003, sign_in_p50=0.002, sign_in=0.004, pushes=at,
        )
        for at in range(10, 3601, 10)
    ]  # fmt: skip
    return [change(sample) for sample in hour]


class Growth(unittest.TestCase):
    def found(self, change: Callable[[Sample], Sample]) -> str:
        (breach,) = breaches(samples(change), WINDOWS, lambda line: None)
        return breach

    def test_nothing_is_found_where_all_stays_as_it_is(self) -> None:
        self.assertEqual(breaches(samples(), WINDOWS, lambda line: None), [])

    def test_memory_that_grows_by_ten_megabytes_an_hour(self) -> None:
        grown = lambda sample: replace(sample, broker=sample.broker + sample.at / 3600 * 10 * MEGABYTE)
        self.assertIn("memory of the broker grew", self.found(grown))
        self.assertAlmostEqual(slope(samples(grown), lambda sample: sample.broker) / MEGABYTE, 10)
        self.assertIn(
            "memory of the gateway", self.found(lambda sample: replace(sample, gateway=40 * MEGABYTE + sample.at * 8000))
        )

    def test_latencies_that_grow_with_what_is_stored(self) -> None:
        self.assertIn("p99 of deliveries", self.found(lambda sample: replace(sample, p99=0.003 + sample.at * 3e-6)))
        self.assertIn("sign-ins", self.found(lambda sample: replace(sample, sign_in=0.004 + sample.at * 6e-6)))

    def test_rows_that_take_more_and_more(self) -> None:
        self.assertIn("a stored row", self.found(lambda sample: replace(sample, database=sample.at**2 * 100)))

    def test_a_run_without_samples(self) -> None:
        self.assertEqual(breaches([], WINDOWS), ["there are no samples"])


if __name__ == "__main__":
    unittest.main()

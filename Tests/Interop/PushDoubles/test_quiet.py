"""Quiet hours: nothing while they last but what is urgent, and one digest afterwards."""

import time
import unittest

from case import PushTestCase, World

world = World()


def setUpModule() -> None:
    world.set_up()


class QuietHours(PushTestCase):
    world = world

    def test_what_comes_in_quiet_hours_is_one_digest_at_their_end_but_for_what_is_urgent(self) -> None:
        alice, bob = self.pair()
        at_bob = self.hook(bob)
        # They end when a minute does, and there must be time for what is to come before that.
        now = time.time()
        end = (now + 40) // 60 * 60 + 60
        hours = {
            "from": time.strftime("%H:%M", time.gmtime(now - 7200)),
            "to": time.strftime("%H:%M", time.gmtime(end)),
        }
        bob.ask("profile/set", {"quiet_hours": hours, "time_zone": "UTC"})
        for _ in range(3):
            self.write(alice, bob)
        urgent = self.write(alice, bob, is_urgent=True)
        self.assertEqual(self.await_of(at_bob, urgent)["badge"], 4)
        self.write(alice, bob)
        self.assertLess(time.time(), end, "the quiet hours were over before the test was")
        self.assert_only(at_bob, urgent)
        digest = self.eventually(
            "the digest", lambda: next((f for f in self.taken(at_bob) if f["type"] == "digest"), None)
        )
        self.assertGreaterEqual(time.time(), end)
        self.assertEqual((digest["badge"], digest["message"]), (5, None))
        after = self.write(alice, bob)
        self.await_of(at_bob, after)
        self.assertEqual([found["type"] for found in self.taken(at_bob)], ["message", "digest", "message"])


if __name__ == "__main__":
    unittest.main()

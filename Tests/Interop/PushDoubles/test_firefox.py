"""A gateway's Web Push to a real Firefox, which opens RFC 8291 with code of its own and hands it to the page."""

import json
import tempfile
import unittest
from pathlib import Path

from browser import Firefox, Site
from case import PushTestCase, World
from contract import complaints

world = World()


def setUpModule() -> None:
    if Firefox.program() is None:
        raise unittest.SkipTest("there is no firefox-esr")
    world.set_up()


class Browser(PushTestCase):
    world = world

    def test_what_is_written_to_who_is_away_arrives_at_their_service_worker(self) -> None:
        alice, bob = self.pair()
        directory = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="push-firefox-")))
        site = self.enterContext(Site())
        firefox = self.enterContext(Firefox(directory, self.services.ports["autopush"]))
        bob.register(firefox.subscribe(site.url, bob.ask("gateway/info")["vapid_key"]))
        for number, size in enumerate((10, 1000, 6000)):
            text = "z" * size
            message = self.write(alice, bob, text)

            def find(pushed: list[str], seq: int = message["seq"]) -> dict | None:
                return next((found for each in pushed if (found := json.loads(each))["seq"] == seq), None)

            found = site.until(f"message {number}", find)
            self.assertEqual(complaints(found), [])
            self.assertEqual((found["type"], found["badge"], found["device_id"]), ("message", number + 1, "phone"))
            if size < 2000:
                self.assertEqual(bob.messenger.open(found["message"]), {"text": f"{text} {self.world.marker}"})
            else:
                self.assertIsNone(found["message"])
        with self.town.further(bob, "tablet") as messenger:
            fields = {"conversation_id": message["conversation_id"], "message_id": message["id"]}
            messenger.device.request("receipts/read", fields)
            clear = site.until(
                "the clear",
                lambda pushed: next((found for each in pushed if (found := json.loads(each))["type"] == "clear"), None),
            )
        self.assertEqual((clear["seq"], clear["badge"]), (message["seq"], 0))


if __name__ == "__main__":
    unittest.main()

"""What operators are shown of notifications, and a device of the project's own tool that is notified and opens it."""

import json
import unittest
from typing import Any

from case import PushTestCase, World
from device import Device
from identities import Address
from services import key_of
from tool import ToolFailed

world = World()


def setUpModule() -> None:
    world.set_up()


class Operators(PushTestCase):
    world = world

    def setUp(self) -> None:
        super().setUp()
        self.operator = self.enterContext(Device(self.gateway.data, Address("operator", "console")))

    def traced(self, identifier: str, count: int) -> dict[str, Any]:
        """As soon as so many notifications were answered."""

        def look() -> dict[str, Any] | None:
            trace = self.operator.request("admin/trace", {"id": identifier})
            self.assertNotIn(self.world.marker, json.dumps(trace))
            return trace if sum(push["answer"] is not None for push in trace["pushes"]) >= count else None

        return self.eventually(f"{count} answers in the trace of {identifier}", look)

    def test_a_trace_shows_what_was_decided_sent_and_answered_for_each_device(self) -> None:
        alice, bob = self.pair()
        at_phone, at_tablet = self.services.apns_device(), self.services.hook()
        bob.register(at_phone)
        self.town.further(bob, "tablet").register(at_tablet)
        self.services.plan("webhook", key_of(at_tablet), {"fault": "close", "taken": True})
        message = self.write(alice, bob)
        ids = {
            found["device_id"]: found["id"]
            for found in (self.await_of(at_phone, message), self.await_of(at_tablet, message))
        }
        self.services.until("the repeat", lambda _: len(self.taken(at_tablet)) == 2)

        def published() -> dict[str, Any] | None:
            trace = self.traced(message["id"], 2)
            return trace if trace["is_published"] else None

        # A push service may be as fast as the broker's acknowledgement.
        trace = self.eventually("the message is published", published)
        self.assertEqual((trace["message_id"], trace["sender_id"]), (message["id"], alice.user))
        self.assertEqual([member["user_id"] for member in trace["members"]], [bob.user])
        pushes = {push["device_id"]: push for push in trace["pushes"] if push["device_id"]}
        self.assertEqual({device: push["id"] for device, push in pushes.items()}, ids)
        self.assertEqual({push["decision"] for push in pushes.values()}, {"notify"})
        self.assertEqual((pushes["phone"]["attempts"], pushes["phone"]["repeats"]), (1, 0))

        def repeated() -> bool:
            tablet = next(p for p in self.traced(message["id"], 2)["pushes"] if p["device_id"] == "tablet")
            return "204" in tablet["answer"] and (tablet["attempts"], tablet["repeats"]) == (2, 1)

        self.eventually("the repeat in the trace", repeated)
        one = self.traced(ids["phone"], 1)
        self.assertIn(ids["phone"], [push["id"] for push in one["pushes"]])

    def test_why_somebody_was_or_was_not_notified_is_explained(self) -> None:
        alice, bob, carol = self.staying("alice"), self.person("bob"), self.person("carol")
        at_bob, at_carol = self.hook(bob), self.hook(carol)
        group = self.town.group(alice, [bob, carol], self.world.marker)
        carol.ask("conversations/update", {"conversation_id": group, "is_muted": True})
        message = self.write(alice, group)
        self.await_of(at_bob, message)
        for person, decision, reason in ((bob, "notify", None), (carol, "skip", "muted"), (alice, "none", None)):
            fields = {"message_id": message["id"], "user_id": person.user}
            explained = self.operator.request("admin/explain-push", fields)
            with self.subTest(person.user, explained=explained):
                self.assertIn(reason or decision, (explained["decision"], explained["reason"]))
                self.assertTrue(explained["says"].endswith("."))
                if person is alice:
                    self.assertEqual(explained["now"]["reason"], "own")
                self.assertNotIn(self.world.marker, json.dumps(explained))
        self.assertEqual(self.taken(at_carol), [])

    def test_a_test_reaches_every_device_connected_or_not(self) -> None:
        bob = self.person("bob")
        at_phone, at_tablet = self.hook(bob), self.services.apns_device()
        tablet = self.town.further(bob, "tablet")
        tablet.register(at_tablet)
        with tablet:
            tested = self.operator.request("admin/test-push", {"user_id": bob.user})["devices"]
            self.assertEqual(
                sorted((each["device_id"], each["provider"]) for each in tested),
                [("phone", "webhook"), ("tablet", "apns")],
            )
            for each, target in ((each, at_phone if each["device_id"] == "phone" else at_tablet) for each in tested):
                self.assertEqual(self.await_type(target, "test")["id"], each["id"])
                self.assertIn("20", self.traced(each["id"], 1)["pushes"][0]["answer"])


class Tool(PushTestCase):
    """`parley push`, `parley trace`, `parley explain --push`: the whole way with no other client."""

    world = world

    def run_tool(self, *arguments: str, stdin: str | None = None) -> str:
        return self.town.tool.run(*arguments, stdin=stdin)

    def test_a_device_of_the_tool_is_notified_and_opens_the_payload_without_a_connection(self) -> None:
        tool, suffix = self.town.tool, self.world.marker[:8]
        alice, bob = (tool.add(Address(name + suffix, "phone")) for name in ("anna", "bert"))
        as_bob = ("--as", "/".join(bob))
        # The first attempt makes Anna's keys, before there is anybody who has some; then both know each other's.
        with self.assertRaises(ToolFailed):
            tool.send(alice, "nobody", "--to", bob.user)
        tool.send(bob, "first", "--to", alice.user)
        self.town.presence.wait(bob.user, "offline")
        tool.send(alice, "second", "--to", bob.user)
        target = self.services.hook()
        self.run_tool("push", "register", "webhook", *as_bob, target["endpoint"], "--secret", target["secret"])
        self.town.presence.wait(bob.user, "offline")
        sent = tool.send(alice, f"opened {self.world.marker}", "--to", bob.user)
        found = self.await_type(target, "message")
        self.assertEqual(found["message"]["id"], sent["id"])
        opened = json.loads(self.run_tool("push", "open", *as_bob, "--json", "-", stdin=json.dumps(found)))
        self.assertNotIn("error", opened)
        self.assertIn(f"opened {self.world.marker}", json.dumps(opened))
        self.assertEqual(opened["link"], f"parley://conversation/{found['conversation_id']}")
        forged = found | {"message": found["message"] | {"id": found["id"]}}
        said = json.loads(self.run_tool("push", "open", *as_bob, "--json", "-", stdin=json.dumps(forged)))
        self.assertIn("error", said)
        self.assertNotIn(self.world.marker, json.dumps(said))
        traced = self.eventually(
            "the answer in the trace",
            lambda: text if "204" in (text := self.run_tool("--text", "trace", sent["id"])) else None,
        )
        for expected in (alice.user, bob.user, "webhook", "notify"):
            self.assertIn(expected, traced)
        self.assertNotIn(self.world.marker, traced)
        self.assertIn("notify", self.run_tool("--text", "explain", "--push", sent["id"], bob.user))
        self.assertIn("own", self.run_tool("--text", "explain", "--push", sent["id"], alice.user))
        tested = json.loads(self.run_tool("push", "test", bob.user, "--json"))
        self.assertEqual((tested["device_id"], tested["provider"]), (bob.device, "webhook"))
        self.assertIn("204", tested["answer"])
        self.await_type(target, "test")
        self.run_tool("push", "unregister", *as_bob)
        self.town.presence.wait(bob.user, "offline")
        last = tool.send(alice, "unheard", "--to", bob.user)
        traced = self.eventually(
            "the decision",
            lambda: text if "notify" in (text := self.run_tool("--text", "trace", last["id"])) else None,
        )
        self.assertNotIn("webhook", traced)


if __name__ == "__main__":
    unittest.main()

"""docs/asyncapi.yaml against the rules of AsyncAPI 3.0, as far as it uses them, and validators of its messages.

Run by scripts/test-interop.sh.
"""

import copy
import functools
import json
import re
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fastjsonschema
import yaml

FILE = Path(__file__).resolve().parents[3] / "docs" / "asyncapi.yaml"


class Undescribed(AssertionError):
    """Something that the document has no schema for, or that does not satisfy it."""


class AsyncAPI:
    """The document, and validators of its messages."""

    def __init__(self) -> None:
        self.document = yaml.load(FILE.read_text(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        _spell_dollars(self.document)
        self._components = _closed(copy.deepcopy(self.document["components"]))
        self._patterns = [
            (re.compile(re.sub(r"\\\{[a-z]+\\\}", "[^/]+", re.escape(channel["address"])) + r"\Z"), name)
            for name, channel in self.document["channels"].items()
        ]

    def check(self, topic: str, payload: bytes) -> str:
        """The name of the message that the payload is."""
        names = [name for pattern, name in self._patterns if pattern.match(topic)]
        if len(names) != 1:
            raise Undescribed(f"{topic} is described by {names}")
        value, problems = json.loads(payload), []
        for message in self.document["channels"][names[0]]["messages"]:
            try:
                self._validator(names[0], message)(value)
            except fastjsonschema.JsonSchemaValueException as problem:
                problems.append(f"{message}: {problem.message}")
            else:
                return message
        if isinstance(value, dict) and "type" in value:
            problems = [problem for problem in problems if problem.startswith(f"{value['type']}: ")] or problems
        raise Undescribed(f"{topic}: {problems} of {payload[:2000]!r}")

    @functools.cache
    def _validator(self, channel: str, message: str) -> Callable[[Any], Any]:
        payload = copy.deepcopy(self.document["channels"][channel]["messages"][message]["payload"])
        # A request may have members that the gateway ignores.
        schema = payload if message == "request" else _closed(payload)
        return fastjsonschema.compile(
            {"$schema": "http://json-schema.org/draft-07/schema#", "components": self._components, "allOf": [schema]}
        )


def _spell_dollars(value: Any) -> None:
    """The validator takes each `$` of a pattern for its end, also among characters."""
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, (dict, list)):
            _spell_dollars(inner)
    if isinstance(value, dict) and isinstance(pattern := value.get("pattern"), str):
        value["pattern"] = pattern[:-1].replace("$", r"\x24") + pattern[-1:]


def _closed(value: Any) -> Any:
    """Schemas that take no member that they do not name."""
    if isinstance(value, dict):
        if isinstance(value.get("properties"), dict) and value.get("type") in ("object", ["object", "null"]):
            value.setdefault("additionalProperties", False)
        for inner in value.values():
            _closed(inner)
    elif isinstance(value, list):
        for inner in value:
            _closed(inner)
    return value


API = AsyncAPI()


class Structure(unittest.TestCase):
    """What AsyncAPI 3.0 asks of a document, as far as this one uses it."""

    def setUp(self) -> None:
        self.document = API.document

    def resolve(self, reference: str) -> Any:
        value = self.document
        self.assertTrue(reference.startswith("#/"), reference)
        for name in reference[2:].split("/"):
            self.assertIn(name, value, reference)
            value = value[name]
        return value

    def assert_members(self, value: dict[str, Any], allowed: str, required: str = "") -> None:
        self.assertLessEqual(set(value), set(allowed.split()) | set(required.split()))
        self.assertLessEqual(set(required.split()), set(value))

    def test_objects_have_the_members_that_they_may_and_must_have(self) -> None:
        self.assertEqual(self.document["asyncapi"], "3.0.0")
        self.assert_members(
            self.document, "id servers defaultContentType channels operations components", "asyncapi info"
        )
        self.assert_members(self.document["info"], "description license tags", "title version")
        for server in self.document["servers"].values():
            self.assert_members(
                server, "protocolVersion pathname description title variables security tags bindings", "host protocol"
            )
            self.assertEqual(set(re.findall(r"\{(\w+)\}", server["host"])), set(server["variables"]))
        self.assert_members(self.document["components"], "schemas parameters securitySchemes messages")
        for kind, entries in self.document["components"].items():
            for name in entries:
                self.assertRegex(name, r"\A[a-zA-Z0-9.\-_]+\Z", kind)
        for channel in self.document["channels"].values():
            self.assert_members(channel, "title summary description parameters bindings", "address messages")
            self.assertEqual(
                set(re.findall(r"\{(\w+)\}", channel["address"])), set(channel.get("parameters", {})), channel["address"]
            )
            self.assertTrue(channel["messages"])
            for message in channel["messages"].values():
                self.assert_members(message, "headers contentType name title summary bindings examples", "payload")
                for example in message.get("examples", []):
                    self.assert_members(example, "headers payload name summary")
        addresses = [channel["address"] for channel in self.document["channels"].values()]
        self.assertEqual(len(addresses), len(set(addresses)))

    def test_operations_are_on_channels_and_take_their_messages(self) -> None:
        served = set()
        for operation in self.document["operations"].values():
            self.assert_members(operation, "title summary description messages bindings reply tags", "action channel")
            self.assertIn(operation["action"], ("send", "receive"))
            for part in filter(None, (operation, operation.get("reply"))):
                channel = part["channel"]["$ref"]
                self.assertRegex(channel, r"\A#/channels/[^/]+\Z")
                served.add(channel.rsplit("/", 1)[1])
                for message in part["messages"]:
                    self.assertTrue(message["$ref"].startswith(channel + "/messages/"), message)
        self.assertEqual(served, set(self.document["channels"]))

    def test_references_point_at_something(self) -> None:
        def visit(value: Any) -> None:
            for inner in value.values() if isinstance(value, dict) else value:
                if isinstance(inner, (dict, list)):
                    visit(inner)
            if isinstance(value, dict) and isinstance(value.get("$ref"), str):
                self.resolve(value["$ref"])

        visit(self.document)

    def test_examples_satisfy_their_schemas(self) -> None:
        requests = 0
        for name, channel in self.document["channels"].items():
            for message, entry in channel["messages"].items():
                for example in entry.get("examples", []):
                    API._validator(name, message)(example["payload"])
                    requests += message == "request"
        self.assertEqual(requests, sum(it["action"] == "send" for it in self.document["operations"].values()))


if __name__ == "__main__":
    unittest.main(verbosity=2)

"""Random histories of three people, one of whom blocks another: what is done before, the block or its twin, and after."""

import base64
import random
import uuid
from dataclasses import dataclass, field
from typing import Any

from people import SUITE, direct_id

# Who blocks, who is blocked, and a third person.
ALICE, MALLORY, CAROL = "alice", "mallory", "carol"
# Not an operation: the connection ends, and another begins.
RECONNECT = "reconnect"
PUBLISH = "keys/publish"
CHANNELS = ["messages", "receipts", "typing", "info", "challenges", "#"]


@dataclass(frozen=True)
class Step:
    who: str
    operation: str
    fields: dict[str, Any]

    def __str__(self) -> str:
        shown = {name: value for name, value in self.fields.items() if name not in ("encrypted_content", "nonce", "suite")}
        return f"{self.who} {self.operation} {shown}"


@dataclass
class History:
    """The same steps are carried out in both worlds; between `before` and `after` stands what makes the difference."""

    number: int
    names: dict[str, str]
    group: str
    before: list[Step] = field(default_factory=list)
    after: list[Step] = field(default_factory=list)

    def direct(self, one: str, other: str) -> str:
        return direct_id(self.names[one], self.names[other])

    @property
    def known(self) -> set[bytes]:
        """The ids that are the same in both worlds."""
        pairs = [self.direct(ALICE, MALLORY), self.direct(ALICE, CAROL), self.direct(CAROL, MALLORY), self.group]
        steps = [step.fields[name] for step in [*self.before, *self.after] for name in ("id",) if name in step.fields]
        return {each.encode() for each in [*pairs, *steps]}

    def block(self) -> list[Step]:
        return [Step(ALICE, "social/block", {"user_id": self.names[MALLORY]})]

    def twin(self, without: str = "") -> list[Step]:
        """What a block has to look like (protocol, section 4, `blocked`), but for one of its parts."""
        direct = {"conversation_id": self.direct(ALICE, MALLORY)}
        parts = {
            "unfollowing": Step(ALICE, "social/unfollow", {"user_id": self.names[MALLORY]}),
            "privacy": Step(ALICE, "profile/set", {"message_privacy": "followers"}),
            "declining": Step(ALICE, "requests/decline", direct),
            "presence": Step(ALICE, "profile/set", {"presence": "nobody"}),
        }
        return [step for name, step in parts.items() if name != without]


class Author:
    """Writes histories from one source of random values."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)

    def write(self, number: int) -> History:
        draw = self._random
        history = History(number, {who: f"{who}{number}" for who in (ALICE, MALLORY, CAROL)}, self._uuid())
        self._sent: dict[str, list[tuple[str, str]]] = {}
        self._history = history
        blocks: set[tuple[str, str]] = set()
        history.before += self._acquaintance()
        history.before += [self._anything(blocks) for _ in range(draw.randrange(12))]
        # Nothing is to be seen of a block that was there before.
        if (ALICE, MALLORY) in blocks:
            history.before.append(Step(ALICE, "social/unblock", {"user_id": history.names[MALLORY]}))
        for _ in range(draw.randrange(1, 16)):
            history.after.append(self._afterwards())
        # Once: of several changes in a few seconds the gateway tells one, whenever that is.
        published = Step(ALICE, PUBLISH, {"identity_key": base64.b64encode(draw.randbytes(32)).decode()})
        history.after.insert(draw.randrange(len(history.after) + 1), published)
        return history

    def _acquaintance(self) -> list[Step]:
        """How the two have come to know each other: chance alone would seldom bring them that far."""
        names, direct = self._history.names, self._history.direct(ALICE, MALLORY)
        made = Step(MALLORY, "conversations/create", {"type": "direct", "participant_ids": [names[ALICE]]})
        asked = [made, self._message_by(MALLORY, direct)]
        friends = [
            Step(one, "social/follow", {"user_id": names[other]}) for one, other in ((ALICE, MALLORY), (MALLORY, ALICE))
        ]
        accepted = Step(ALICE, "requests/accept", {"conversation_id": direct})
        return self._random.choice([
            [],
            [made],
            asked,
            [*asked, accepted],
            [*asked, accepted, self._message_by(ALICE, direct), self._message_by(MALLORY, direct)],
            [*asked, self._message_by(ALICE, direct)],
            friends,
            [*friends, *asked, self._message_by(ALICE, direct)],
            [Step(ALICE, "profile/set", {"message_privacy": "anyone"}), *asked],
        ])  # fmt: skip

    # What anybody does

    def _anything(self, blocks: set[tuple[str, str]]) -> Step:
        draw, names = self._random, self._history.names
        who = draw.choice([ALICE, MALLORY, CAROL, ALICE, MALLORY])
        other = draw.choice([each for each in (ALICE, MALLORY, CAROL) if each != who])
        match draw.randrange(12):
            case 0 | 1:
                return Step(who, "social/follow", {"user_id": names[other]})
            case 2:
                return Step(who, "social/unfollow", {"user_id": names[other]})
            case 3:
                privacy = draw.choice(["anyone", "followers"])
                return Step(who, "profile/set", {"message_privacy": privacy})
            case 4:
                operation = draw.choice(["social/block", "social/unblock"])
                (blocks.add if operation == "social/block" else blocks.discard)((who, other))
                return Step(who, operation, {"user_id": names[other]})
            case 5:
                operation = draw.choice(["requests/accept", "requests/decline"])
                return Step(who, operation, {"conversation_id": self._history.direct(who, other)})
            case 6:
                members = draw.choice([[ALICE, MALLORY, CAROL], [who, other]])
                return Step(who, "conversations/create", self._group([each for each in members if each != who]))
            case _:
                return self._in_conversation(who, other)

    def _in_conversation(self, who: str, other: str) -> Step:
        draw, names = self._random, self._history.names
        conversation = draw.choice([self._history.direct(who, other)] * 3 + [self._history.group])
        match draw.randrange(9):
            case 0:
                return Step(who, "conversations/create", {"type": "direct", "participant_ids": [names[other]]})
            case 1:
                return self._change(who, conversation)
            case 2:
                operation = draw.choice(["receipts/read", "receipts/delivered"])
                return Step(who, operation, {"conversation_id": conversation, "message_id": self._message(conversation)})
            case 3:
                what = draw.choice([{"is_muted": True}, {"is_archived": True}, {"is_unread": True}, {"is_archived": False}])
                return Step(who, "conversations/update", {"conversation_id": conversation, **what})
            case 4:
                return Step(who, "typing/start", {"conversation_id": conversation})
            case _:
                return self._message_by(who, conversation)

    def _message_by(self, who: str, conversation: str) -> Step:
        identifier = self._uuid()
        self._sent.setdefault(conversation, []).append((identifier, who))
        fields = {"id": identifier, "conversation_id": conversation, "message_type": "text", **self._sealed()}
        if self._random.random() < 0.3:
            fields["reply"] = "event"
        return Step(who, "messages/send", fields)

    def _change(self, who: str, conversation: str) -> Step:
        fields = {"id": self._uuid(), "conversation_id": conversation, "message_id": self._message(conversation)}
        operation = self._random.choice(["messages/edit", "messages/delete", "messages/react"])
        return Step(who, operation, fields if operation == "messages/delete" else {**fields, **self._sealed()})

    # What is done after the block, or after its twin

    def _afterwards(self) -> Step:
        """The blocked one does and asks anything; the others what a block does not change."""
        draw, history = self._random, self._history
        names, direct = history.names, history.direct(ALICE, MALLORY)
        match draw.randrange(10):
            case 0:
                return draw.choice([
                    # In a direct conversation whoever has blocked may still delete what is their own.
                    self._deletion(ALICE, direct),
                    self._message_by(ALICE, history.group),
                    self._message_by(CAROL, history.group),
                    Step(ALICE, "profile/set", {"display_name": f"Alice {draw.randrange(9)}"}),
                    Step(ALICE, RECONNECT, {}),
                    Step(ALICE, "conversations/leave", {"conversation_id": history.group}),
                    Step(CAROL, "social/follow", {"user_id": names[MALLORY]}),
                    Step(CAROL, "social/unfollow", {"user_id": names[MALLORY]}),
                ])  # fmt: skip
            case 1 | 2 | 3:
                return self._question()
            case 4:
                operation = draw.choice(["social/follow", "social/unfollow", "social/follow", "social/block", "social/unblock"])
                return Step(MALLORY, operation, {"user_id": names[ALICE]})
            case 5:
                return Step(MALLORY, "conversations/create", self._group([ALICE]))
            case _:
                return self._in_conversation(MALLORY, ALICE)

    def _question(self) -> Step:
        draw, names = self._random, self._history.names
        return Step(MALLORY, *draw.choice(questions(self._history)))

    def _deletion(self, who: str, conversation: str) -> Step:
        own = [identifier for identifier, sender in self._sent.get(conversation, []) if sender == who]
        message = self._random.choice(own) if own else self._uuid()
        return Step(
            who, "messages/delete", {"id": self._uuid(), "conversation_id": conversation, "message_id": message})

    # Values

    def _group(self, others: list[str]) -> dict[str, Any]:
        """Made again and again under one id: the first that may, makes it."""
        people = [self._history.names[each] for each in others]
        return {"type": "group", "id": self._history.group, "name": "three", "participant_ids": people}

    def _message(self, conversation: str) -> str:
        sent = self._sent.get(conversation)
        return self._random.choice(sent)[0] if sent else self._uuid()

    def _sealed(self) -> dict[str, str]:
        content, nonce = self._random.randbytes(24), self._random.randbytes(24)
        return {
            "suite": SUITE,
            "encrypted_content": base64.b64encode(content).decode(),
            "nonce": base64.b64encode(nonce).decode(),
        }

    def _uuid(self) -> str:
        return str(uuid.UUID(int=self._random.getrandbits(128), version=4))


def questions(history: History) -> list[tuple[str, dict[str, Any]]]:
    """All that somebody may ask about another and about what they share."""
    alice, direct = history.names[ALICE], history.direct(ALICE, MALLORY)
    asked: list[tuple[str, dict[str, Any]]] = [
        ("social/can-message", {"user_id": alice}),
        ("profile/get", {"user_id": alice}),
        ("profile/get", {}),
        ("keys/get", {"user_id": alice}),
        ("conversations/list", {}),
        ("conversations/list", {"archived": True}),
        ("requests/list", {}),
        ("sync/get", {"cursors": {}}),
        ("sync/get", {"cursors": {direct: {"epoch": "x", "seq": 0}}}),
        ("devices/list", {}),
    ]
    for conversation in (direct, history.group):
        asked += [
            ("conversations/get", {"conversation_id": conversation}),
            ("history/get", {"conversation_id": conversation}),
            ("history/get", {"conversation_id": conversation, "after": 0, "limit": 2}),
        ]
    asked += [(f"social/{name}", {}) for name in ("followers", "following", "blocked")]
    asked += [(f"social/{name}", {"user_id": alice}) for name in ("followers", "following")]
    return asked

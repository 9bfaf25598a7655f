"""What comes to a service and what it answers, whatever the protocol."""

import itertools
from collections import defaultdict, deque
from dataclasses import dataclass, field
from typing import Any, Protocol

# What may happen in the place of an answer, or around it.
FAULTS = {
    "hang": "no answer until it is released",
    "slow": "the answer after `ms`",
    "close": "the connection closes instead",
    "midway": "the connection closes in the middle of the answer",
    "garbage": "bytes that are no HTTP, and then the connection closes",
    "endless": "a body without end",
    "reset": "HTTP/2: RST_STREAM with INTERNAL_ERROR",
    "refuse": "HTTP/2: RST_STREAM with REFUSED_STREAM, which says that nothing was done",
    "goaway": "HTTP/2: GOAWAY that leaves this request out, which says that nothing was done with it",
    "goaway-after": "HTTP/2: the answer, then GOAWAY that includes it",
}


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    # Names in lower case; of one that comes twice both values, with a comma between them.
    headers: dict[str, str]
    body: bytes
    # Of this process, counted.
    connection: int
    protocol: str
    stream: int | None = None


@dataclass
class Answer:
    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    fault: str | None = None
    milliseconds: int = 0


@dataclass
class Finding:
    """What a service finds in a request."""

    # What the planned answers go by: the device's token, the id of a subscription or of a hook.
    key: str | None = None
    # The answer to what the service does not take; `None` if it would.
    refusal: Answer | None = None
    # What no service says, and what Parley has promised nonetheless.
    complaints: list[str] = field(default_factory=list)
    # For the record.
    details: dict[str, Any] = field(default_factory=dict)


class Service(Protocol):
    name: str

    def examine(self, request: Request) -> Finding: ...

    def answer(self, request: Request, finding: Finding, planned: dict[str, Any]) -> Answer:
        """To what it takes. `planned`: `status`, `reason`, `retry_after`, `location`, and what else it knows."""
        ...

    def deliver(self, request: Request, finding: Finding) -> None:
        """The device gets it."""
        ...


class Plans:
    """What the next requests are to be answered, for each service and key."""

    def __init__(self) -> None:
        self._next: defaultdict[tuple[str, str], deque[dict[str, Any]]] = defaultdict(deque)
        self._always: dict[tuple[str, str], dict[str, Any]] = {}

    def plan(self, service: str, key: str, answers: list[dict[str, Any]], always: dict[str, Any] | None) -> None:
        """First these, one each, or as many as `times` says; then `always`. What was planned before is forgotten."""
        self._next[service, key] = deque(
            itertools.chain.from_iterable([answer] * answer.get("times", 1) for answer in answers)
        )
        if always:
            self._always[service, key] = always
        else:
            self._always.pop((service, key), None)

    def take(self, service: str, key: str | None) -> dict[str, Any]:
        """The key's own plan comes before that of `*`."""
        for each in (key, "*"):
            if each is None:
                continue
            if waiting := self._next.get((service, each)):
                return waiting.popleft()
            if always := self._always.get((service, each)):
                return always
        return {}

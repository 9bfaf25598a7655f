"""Every attack: its name, what it is, and what it takes."""

from collections.abc import Callable
from dataclasses import dataclass

from attacks import connections, control, floods, members, subscriptions
from field import Field


@dataclass(frozen=True)
class Attack:
    """`seconds` is how long one round goes on; `filling` what has to be there before."""

    name: str
    title: str
    begin: Callable[[Field], None]
    # What of its counts says how far it got.
    measure: str = "packets"
    seconds: float = 8
    filling: str = ""
    # Whether it is for a production gateway, behind HAProxy.
    is_for_door: bool = False

    @property
    def description(self) -> str:
        return (self.begin.__doc__ or "").strip().splitlines()[0]


ATTACKS = [
    Attack("junk-json", "junk JSON of 17,000 escaped keys", floods.junk_json),
    Attack("oversize", "oversize requests and packets", floods.oversize),
    Attack("user-properties", "75,000 user properties", floods.user_properties),
    Attack("qos0", "QoS 0 flood of 384 KiB", floods.qos0),
    Attack("subscribe-storm", "SUBSCRIBEs of 370 KB, 190 levels deep", subscriptions.deep_filters),
    Attack("connections", "1,000 connections of one token", connections.thousand_of_one_token, "connections"),
    Attack("wills", "2,000 refused CONNECTs a second, wills of 60 KB", connections.refused_with_wills, "connections",
           is_for_door=True),
    Attack("websocket-publish", "600 WebSocket publishes of 1 MiB", floods.websocket_megabytes),
    Attack("websocket-unauthenticated", "8 WebSockets of 40 MB, nobody signed in", connections.websockets_before_sign_in, "connections",
           is_for_door=True),
    Attack("endless-connect", "8 CONNECTs of 40 MB, nobody signed in", connections.packets_before_sign_in, "connections",
           is_for_door=True),
    Attack("requests", "540,000 requests in 15 s, replies unread", floods.unread_replies, seconds=15),
    Attack("resubscribe", "800,000 SUBSCRIBEs of one filter", subscriptions.again_and_again),
    Attack("slow-readers", "180 slow readers of 5,000 events", members.slow_readers, seconds=15),
    Attack("unread", "100,000 unread, 20 receipts a second", members.receipts_of_many, filling="unread"),
    Attack("groups", "20,000 groups on one person", members.groups_upon_one, filling="groups"),
    Attack("keys", "new keys every second", members.new_keys),
    Attack("reports", "reports with 96 KiB of evidence", floods.reports),
    Attack("requests-read", "requests over 8 connections, replies read", floods.many_requests),
    Attack("messages", "messages to a group at full speed", floods.messages),
    Attack("pages", "pages of 192 KiB over 8 connections", floods.history_pages, filling="unread"),
    Attack("churn", "2,000 sign-ins a second that go at once", connections.churn, "connections"),
    Attack("forged", "2,000 forged tokens a second", connections.forged_tokens, "connections"),
    Attack("busy", "none: two busy loops beside (a control)", control.busy_loops, "turns"),
]  # fmt: skip


def named(name: str) -> Attack:
    return next(attack for attack in ATTACKS if attack.name == name)

"""Every attack: its name, what it is, and what it takes."""

from collections.abc import Callable
from dataclasses import dataclass, field

import afterwards
from attacks import connections, control, floods, gathered, members, packets, subscriptions
from field import Field
from gateway import Gateway
from people import ATTACKER_DEVICES, ATTACKERS, Town
from report import MEGABYTE, Allowance


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
    # What it may do where that is another thing than others may.
    allowance: Allowance = field(default_factory=Allowance)
    # What must hold when it is over, besides; a sentence for what does not.
    check: Callable[[Gateway, Town], list[str]] | None = None
    # Whether the short form plays it, a gate of every change: what others must answer for first is not in it.
    is_in_short: bool = True

    @property
    def description(self) -> str:
        return (self.begin.__doc__ or "").strip().splitlines()[0]


# The plugin is not shown most of these packets. It learns from the kernel how much there was when the broker has read it.
UNSEEN = Allowance(p99_against_quiet=4)
TAKEN_OFF = Allowance(p99_against_quiet=4, is_taken_off=True)
PACKETS = [
    ("unsubscribe-properties", "UNSUBSCRIBE, 75,000 properties", packets.unsubscribe),
    ("unsubscribe-filters", "UNSUBSCRIBE of 10,000 filters", packets.unsubscribe_many),
    ("unsubscribe-full", "UNSUBSCRIBE of 125,000 filters", packets.unsubscribe_full),
    ("subscribe-properties", "SUBSCRIBE, 75,000 properties", packets.subscribe),
    ("subscribe-filters", "SUBSCRIBE of 5,000 filters", packets.subscribe_many),
    ("subscribe-full", "SUBSCRIBE of 95,000 filters", packets.subscribe_full),
    ("puback", "PUBACK, 75,000 properties", packets.puback),
    ("pubrec", "PUBREC, 75,000 properties", packets.pubrec),
    ("pubrel", "PUBREL, 75,000 properties", packets.pubrel),
    ("pubcomp", "PUBCOMP, 75,000 properties", packets.pubcomp),
    ("auth", "AUTH, 75,000 properties", packets.auth),
    ("pingreq", "PINGREQ without end", packets.pingreq),
]  # fmt: skip


def packet_attacks() -> list[Attack]:
    """Each over one connection, and over four of one device. The attackers differ: who was taken off is turned away."""
    attackers = [(user, device) for device in ATTACKER_DEVICES for user in ATTACKERS]
    return [
        Attack(
            f"{name}-{connections}" if connections > 1 else name,
            f"{title}, {connections} connections" if connections > 1 else title,
            packets.repeated(title, packet, connections, attacker),
            # A PINGREQ has two bytes: what a device may send of them lasts longer than a round of the short form.
            allowance=TAKEN_OFF, is_in_short=connections > 1 and name != "pingreq",
        )
        for (name, title, packet), attacker in zip(PACKETS, attackers) for connections in (1, 4)
    ]  # fmt: skip


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
    Attack("blobs", "files announced, deleted and asked for", members.blobs),
    Attack("churn", "2,000 sign-ins a second that go at once", connections.churn, "connections"),
    Attack("forged", "2,000 forged tokens a second", connections.forged_tokens, "connections"),
    *packet_attacks(),
    Attack("connect-properties", "CONNECT, 75,000 properties, 200 a second", packets.connects, "connections",
           allowance=UNSEEN, is_in_short=False),
    Attack("disconnect-properties", "DISCONNECT, 75,000 properties, 4 connections", packets.disconnects,
           allowance=TAKEN_OFF),
    # What the broker keeps for those who are away is bounded, and is not gone in a minute.
    Attack("away", "sessions that are away, reconnects unread", gathered.away_sessions, "visits", seconds=30,
           filling="unread", allowance=Allowance(kept=160 * MEGABYTE)),
    Attack("slow-holders", "180 who are sent 32 KiB/s and never acknowledge", gathered.slow_holders, seconds=60,
           is_in_short=False),
    Attack("held-filter", "a held filter of 288 bytes again and again", gathered.held_filter),
    Attack("largest", "follows of nobody, stale_devices, largest user", gathered.largest_user, "packets", seconds=10,
           filling="own-groups"),
    Attack("largest-syncs", "syncs and looks of the two largest users", gathered.largest_syncs, seconds=10,
           filling="own-groups"),
    # 600 looks and 60 fetches of keys an hour, and the bursts of what is charged for something else.
    Attack("who-exists", "who exists, asked in every way", gathered.who_exists, seconds=15,
           allowance=Allowance(most={"not_found": 700}), is_in_short=False),
    Attack("registrations", "somebody's webhook, registered by others", gathered.take_registrations,
           check=afterwards.registration_holds, is_in_short=False),
    Attack("reactions", "reactions to 500 messages of somebody", gathered.reactions, seconds=16, filling="unread",
           check=afterwards.challenge_is_in_the_feed, is_in_short=False),
    Attack("busy", "none: two busy loops beside (a control)", control.busy_loops, "turns"),
]  # fmt: skip


def named(name: str) -> Attack:
    return next(attack for attack in ATTACKS if attack.name == name)

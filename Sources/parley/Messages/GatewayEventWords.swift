import ParleyProtocol

/// The words for a type of the gateway's events.
struct GatewayEventWords: Sendable {
    private let type: ObjectIdentifier
    private let words: @Sendable (any GatewayEvent, Titles) -> EventWords?

    private init<E: GatewayEvent>(_: E.Type, _ words: @escaping @Sendable (E, Titles) -> EventWords) {
        type = ObjectIdentifier(E.self)
        self.words = { event, titles in (event as? E).map { words($0, titles) } }
    }

    private init<E: GatewayEvent>(_ type: E.Type, _ words: @escaping @Sendable (E) -> EventWords) {
        self.init(type) { event, _ in words(event) }
    }

    /// Every event that has words of its own.
    private static let all = [
        GatewayEventWords(PersonNotice.self) { notice in
            EventWords(notice.name, "\(notice.user) \(notice.kind.words)") { $0.member("user_id", notice.user) }
        },
        GatewayEventWords(Challenge.self) { EventWords($0.name, $0.sentence, "challenge", $0) },
        GatewayEventWords(WeekEnd.self) { end, titles in
            EventWords(
                end.name,
                "week \(end.week) of \(titles[end.group]) has ended; what comes late counts until \(end.closesAt)",
                "week", end)
        },
        GatewayEventWords(FeedNotification.self) {
            EventWords($0.name, $0.sentence($1), "notification", $0)
        },
        GatewayEventWords(NotificationsCleared.self) { cleared in
            EventWords(cleared.name, "\(cleared.unreadCount) notifications are unread") {
                $0.member("unread_count", cleared.unreadCount)
            }
        },
        GatewayEventWords(ActivityItem.self) { EventWords($0.name, "\($0.user): \($0.title)", "item", $0) },
        GatewayEventWords(ActivityReaction.self) { reaction in
            let emoji = reaction.emoji.map { "reacts \($0)" } ?? "takes back a reaction"
            return EventWords(
                reaction.name, "\(reaction.user) \(emoji) to \(reaction.item.short) of \(reaction.owner)", "reaction",
                reaction)
        },
        GatewayEventWords(GroupJoined.self) {
            EventWords($0, "you are in the group \($0.group.name)", $0.group)
        },
        GatewayEventWords(GroupUpdated.self) {
            EventWords($0, "the group is called \($0.group.name) now", $0.group)
        },
        GatewayEventWords(GroupDeleted.self) { deletion, titles in
            EventWords(deletion.name, "\(titles[deletion.group]) is over", deletion.writeMembers)
        },
        GatewayEventWords(GroupMemberEvent.self) { event, titles in
            EventWords(
                event.name, "\(event.change.user) \(event.words(titles[event.change.group]))",
                event.change.writeMembers)
        },
        GatewayEventWords(DeviceRenewal.self) { renewal in
            EventWords(
                renewal.name, "\(renewal.device) has a new token, which ends at \(renewal.expiresAt)",
                renewal.writeMembers)
        },
        GatewayEventWords(PushEnd.self) { end in
            EventWords(
                end.name,
                "\(end.device) is registered with \(end.provider.name) no more (\(end.reason.name)): it is notified of "
                    + "nothing until it registers again", end.writeMembers)
        },
    ]

    private static let byType = Dictionary(uniqueKeysWithValues: all.map { ($0.type, $0.words) })

    /// An event in words; one without words of its own by its name and data.
    static func words(of event: any GatewayEvent, _ titles: Titles) -> EventWords {
        if let words = byType[ObjectIdentifier(Swift.type(of: event))]?(event, titles) { return words }
        var writer = JSONWriter()
        (event as? any PublishedEvent)?.write(to: &writer)
        let data = writer.finish()
        return EventWords(event.name, "\(event.name) \(String(decoding: data, as: UTF8.self))") {
            $0.member("data", raw: data)
        }
    }
}

extension EventWords {
    fileprivate init(_ event: some GatewayEvent, _ sentence: String, _ group: TrainingGroup) {
        self.init(event.name, sentence) { object in
            object.member("group_id", group.id)
            object.member("name", group.name)
        }
    }
}

extension PersonNotice.Kind {
    fileprivate var words: String {
        switch self {
        case .friendAdded: "is a friend"
        case .friendRemoved: "is no friend any more"
        case .userBlocked: "is blocked"
        case .userUnblocked: "is not blocked"
        }
    }
}

extension GroupMemberEvent {
    fileprivate func words(_ group: String) -> String {
        switch kind {
        case .joined: "is in \(group) now"
        case .left: "has left \(group)"
        case .removed: "was removed from \(group)"
        case .roleChanged: "is \(change.role?.name ?? "something else") of \(group) now"
        }
    }
}

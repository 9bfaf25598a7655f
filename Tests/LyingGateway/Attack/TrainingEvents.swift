import ParleyProtocol

// What is published of those who train together, told with lies if any are told.

extension World {
    /// One event of each kind, of the user's own group and conversations.
    func trainingEvents(
        of group: TrainingGroup, in conversation: ConversationID, to user: UserID, and friend: UserID
    ) -> [Publication] {
        let change = GroupMemberChange(group: group.id, user: friend, by: user, role: .known(.member))
        var events = LeaderboardType.allCases.map { type in
            let board = board(of: group.id, type, user)
            return Publication(.group(group.id, type.channel)) { board.writeEvent(to: &$0) }
        }
        events.append(Publication(.user(user, .events)) { GroupEvent.joined(group).writeEvent(to: &$0) })
        for event in [
            GroupEvent.updated(group), .memberJoined(change), .memberLeft(change), .memberRemoved(change),
            .roleChanged(change),
        ] {
            events.append(Publication(.group(group.id, .events)) { event.writeEvent(to: &$0) })
        }
        let end = WeekEnd(group: group.id, week: World.thisWeek, startsAt: now, endsAt: now, closesAt: now)
        events.append(Publication(.group(group.id, .events)) { end.writeEvent(to: &$0) })
        for challenge in training.challenges.values {
            events.append(Publication(.conversation(conversation, .challenges)) { challenge.writeEvent(to: &$0) })
        }
        let cleared = NotificationsCleared(ids: [.random()], unreadCount: 0, badge: .counted(0), at: now)
        let notified = PushNotification(notification(of: group.id), of: user, at: now)
        events.append(Publication(.user(user, .notifications)) { notified.writeEvent(to: &$0) })
        events.append(Publication(.user(user, .notifications)) { cleared.writeEvent(to: &$0) })
        for owner in [user, friend] {
            let item = ActivityItem(
                id: .random(), user: owner, type: .known(.goalReached), title: "5 km", description: nil,
                metadata: Array("{}".utf8), timestamp: now, reactions: [friend: "👏"])
            let reaction = ActivityReaction(item: item.id, user: friend, owner: owner, emoji: "👏", at: now)
            events.append(Publication(.user(owner, .activity)) { item.writeEvent(to: &$0) })
            events.append(Publication(.user(owner, .activity)) { reaction.writeEvent(to: &$0) })
        }
        // The last: what follows of a group that is over may be heard, or not any more.
        events.append(Publication(.user(user, .events)) { GroupEvent.deleted(group.id).writeEvent(to: &$0) })
        return events
    }

    /// The same with lies about their fields, some of them on topics of others', to whom nobody has subscribed.
    mutating func falseTrainingEvents(
        of group: TrainingGroup, in conversation: ConversationID, to user: UserID, and friend: UserID
    ) -> [Publication] {
        guard var lies = fieldLies else { return [] }
        let foreign = GroupID(attacker.falseID.value)
        let other = TrainingGroup(
            id: foreign, name: "Others", conversation: ConversationID(of: foreign), createdBy: Attacker.user,
            createdAt: now, timeZone: "UTC", members: group.members)
        // The other group's events are without a fault but that they are nothing of the user's.
        let others = trainingEvents(of: other, in: attacker.falseID, to: Attacker.user, and: Attacker.user)
            .map { Publication(topic: $0.topic, payload: $0.payload, audience: .everybody) }
        let own = trainingEvents(of: group, in: conversation, to: user, and: friend).map { event in
            let payload = lies.told(event.payload)
            // On the topic that it is about then, if that is another one.
            let topic = lies.chance(0.8) ? event.topic : others[others.count / 2].topic
            return Publication(topic: topic, payload: payload, audience: .everybody)
        }
        fieldLies = lies
        return own + others
    }
}

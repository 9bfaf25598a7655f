import ParleyProtocol

// What is published of those who train together, told with lies if any are told.

extension World {
    /// One event of each kind, of the user's own group and conversations.
    func trainingEvents(
        of group: TrainingGroup, in conversation: ConversationID, to user: UserID, and friend: UserID
    ) -> [Publication] {
        let change = GroupMemberChange(group: group.id, user: friend, by: user, role: .known(.member))
        var events = LeaderboardType.allCases.map { Publication(board(of: group.id, $0, user)) }
        events.append(Publication(GroupJoined(group), to: user))
        events.append(Publication(GroupUpdated(group)))
        events += GroupMemberEvent.Kind.allCases.map { Publication(GroupMemberEvent($0, change)) }
        events.append(
            Publication(WeekEnd(group: group.id, week: World.thisWeek, startsAt: now, endsAt: now, closesAt: now)))
        events += training.challenges.values.map { challenge in
            Publication(.conversation(conversation, .challenges)) { challenge.writeEvent(to: &$0) }
        }
        events.append(Publication(PushNotification(notification(of: group.id), of: user, at: now)))
        let cleared = NotificationsCleared(ids: [.random()], unreadCount: 0, badge: .counted(0), at: now)
        events.append(Publication(cleared, to: user))
        for owner in [user, friend] {
            let item = ActivityItem(
                id: .random(), user: owner, type: .known(.goalReached), title: "5 km", description: nil,
                metadata: Array("{}".utf8), timestamp: now, reactions: [friend: "👏"])
            events.append(Publication(item))
            events.append(
                Publication(ActivityReaction(item: item.id, user: friend, owner: owner, emoji: "👏", at: now)))
        }
        // The last: what follows of a group that is over may be heard, or not any more.
        events.append(Publication(GroupDeleted(group.id), to: user))
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

/// Every event that the gateway publishes, in the order of `docs/topics.md`. An event exists by its line here.
package enum EventTable {
    package static let all: [any PublishedEvent.Type] = [
        MessageRecord.self,
        Watermark.self,
        TypingIndicator.self,
        ConversationUpdated.self,
        Challenge.self,
        ConversationCreated.self,
        ConversationReading.self,
        ConversationRemoval.self,
        ConversationSettings.self,
        MessageRequest.self,
        PersonNotice.self,
        DeviceRevocation.self,
        DeviceRenewal.self,
        DeviceAddition.self,
        LinkOfferNotice.self,
        LinkApproval.self,
        KeysChange.self,
        PushEnd.self,
        GroupJoined.self,
        GroupDeleted.self,
        PushNotification.self,
        NotificationsCleared.self,
        PresenceUpdate.self,
        ActivityItem.self,
        ActivityReaction.self,
        Leaderboard.self,
        GroupUpdated.self,
        GroupMemberEvent.self,
        WeekEnd.self,
        GatewayStatus.self,
    ]

    package static let names: [String] = all.flatMap { $0.names }

    private static let byName: [String: any PublishedEvent.Type] = {
        var table: [String: any PublishedEvent.Type] = [:]
        for event in all { for name in event.names { table[name] = event } }
        return table
    }()

    /// `nil` for an unknown event.
    static func event(named name: String) -> (any PublishedEvent.Type)? { byName[name] }

    /// Reads an event.
    ///
    /// - Returns: `nil` for an event of a later version, which is ignored.
    /// - Throws: ``ReadingError`` if it is no event, lacks a field, or came on a topic of something else.
    package static func read(_ payload: [UInt8], on topic: Topic) throws(ReadingError) -> (any PublishedEvent)? {
        let (name, data) = try split(payload)
        return try read(name, data, on: topic)
    }

    static func read(
        _ name: String, _ data: JSONObject, on topic: Topic
    ) throws(ReadingError) -> (any PublishedEvent)? {
        guard let event = try event(named: name)?.read(name, data) else { return nil }
        guard event.belongs(on: topic) else { throw .misplaced(type: name) }
        return event
    }

    /// Whether ``read(_:on:)`` may give an event of one of these names. It looks at the first member alone, where the
    /// gateway writes the type, and says no only if that is another type, without escapes.
    package static func mayRead(_ names: [String], in payload: [UInt8]) -> Bool {
        let bytes = payload.span
        var lexer = JSONLexer(0..<bytes.count)
        lexer.skipWhitespace(bytes)
        guard lexer.skip(UInt8(ascii: "{"), bytes) else { return true }
        lexer.skipWhitespace(bytes)
        guard let key = lexer.plainString(bytes), bytes.extracting(key).equals("type") else { return true }
        lexer.skipWhitespace(bytes)
        guard lexer.skip(UInt8(ascii: ":"), bytes) else { return true }
        lexer.skipWhitespace(bytes)
        guard let type = lexer.plainString(bytes) else { return true }
        return names.contains { bytes.extracting(type).equals($0) }
    }

    static func split(_ payload: [UInt8]) throws(ReadingError) -> (name: String, data: JSONObject) {
        let object = try JSONObject(reading: payload)
        do throws(Rejection) {
            return (
                try object.text("type", maximum: 64).required("type"), try object.object("data").required("data")
            )
        } catch {
            throw .field(error.message)
        }
    }
}

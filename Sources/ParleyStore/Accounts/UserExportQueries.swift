import ParleyProtocol

/// A part of what the gateway holds of a user, in the order of an export. A number once given is never another part's:
/// a cursor holds it.
package enum ExportPart: UInt8, CaseIterable, Sendable {
    case account = 1
    case device = 2
    case signIn = 3
    case pushRegistration = 4
    case follow = 5
    case follower = 6
    case block = 7
    case conversation = 8
    case message = 9
    case blob = 10
    case workout = 11
    case metrics = 12
    case challenge = 13
    case activity = 14
    case activityReaction = 15
    case notification = 16
    case invite = 17
    case report = 18

    /// The `type` of its items.
    package var name: String {
        switch self {
        case .account: "account"
        case .device: "device"
        case .signIn: "sign_in"
        case .pushRegistration: "push_registration"
        case .follow: "follow"
        case .follower: "follower"
        case .block: "block"
        case .conversation: "conversation"
        case .message: "message"
        case .blob: "blob"
        case .workout: "workout"
        case .metrics: "metrics"
        case .challenge: "challenge"
        case .activity: "activity"
        case .activityReaction: "activity_reaction"
        case .notification: "notification"
        case .invite: "invite"
        case .report: "report"
        }
    }

    fileprivate var next: ExportPart? { ExportPart(rawValue: rawValue + 1) }

    /// What the items of the part are ordered by.
    fileprivate var firstKey: ExportPlace.Key {
        switch self {
        case .device, .signIn, .pushRegistration, .follow, .follower, .block: .text("")
        case .blob, .workout: .id([])
        case .account, .conversation, .message, .metrics, .challenge, .activity, .activityReaction, .notification,
            .invite, .report:
            .number(.min)
        }
    }
}

/// Behind an item of an export.
package struct ExportPlace: Hashable, Sendable {
    enum Key: Hashable, Sendable {
        case number(Int)
        case text(String)
        case id([UInt8])

        var boundValue: BoundValue {
            switch self {
            case .number(let number): .integer(number)
            case .text(let text): .text(text)
            case .id(let bytes): .blob(bytes)
            }
        }
    }

    let part: ExportPart
    let key: Key

    package static let start = ExportPlace(part: .account, key: ExportPart.account.firstKey)

    init(part: ExportPart, key: Key) { (self.part, self.key) = (part, key) }

    /// 65 at most.
    package var bytes: [UInt8] {
        switch key {
        case .number(let number): [part.rawValue] + (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
        case .text(let text): [part.rawValue] + text.utf8
        case .id(let bytes): [part.rawValue] + bytes
        }
    }

    /// - Returns: `nil` unless these are the `bytes` of a place.
    package init?(bytes: [UInt8]) {
        guard let part = bytes.first.flatMap(ExportPart.init(rawValue:)) else { return nil }
        let rest = bytes.dropFirst()
        switch part.firstKey {
        case .number:
            guard rest.count == 8 else { return nil }
            self.init(part: part, key: .number(rest.reduce(0) { $0 << 8 | Int($1) }))
        case .text:
            guard let text = String(validating: rest, as: UTF8.self) else { return nil }
            self.init(part: part, key: .text(text))
        case .id: self.init(part: part, key: .id(Array(rest)))
        }
    }
}

/// What the gateway holds of a user. Nothing of others that the user could not see, and no secret: a webhook's, an
/// invite's, a password's hash.
package struct UserExportQueries {
    let database: Database

    /// The most records of all conversations that are looked at for one page.
    static let lookedAt = 20_000

    /// Reads items behind a place, as many as a page takes.
    ///
    /// - Parameter body: `false` if there is no room for the item.
    /// - Returns: the place behind which the next page goes on; `nil` at the end. A page may be empty before that.
    package func read(
        of user: UserID, from start: ExportPlace, limit: Int,
        _ body: (ExportPlace, _ type: String, _ data: [UInt8]) throws -> Bool
    ) throws -> ExportPlace? {
        var (place, count) = (start, 0)
        while true {
            let end = place.part == .message ? try endOfRecords(after: place) : nil
            let items = try items(of: user, after: place, through: end?.key, limit: limit)
            for item in items {
                guard count < limit, try body(item.place, item.place.part.name, item.data) else { return place }
                place = item.place
                count += 1
            }
            if items.count == limit { return place }
            if let end, !end.isLast { return ExportPlace(part: .message, key: .number(end.key)) }
            guard let next = place.part.next else { return nil }
            place = ExportPlace(part: next, key: next.firstKey)
        }
    }

    fileprivate struct Item {
        let place: ExportPlace
        let data: [UInt8]
    }

    private func endOfRecords(after place: ExportPlace) throws(StoreError) -> (key: Int, isLast: Bool) {
        guard case .number(let key) = place.key else { throw .inconsistent(.column(0)) }
        let position = StreamPosition(max(key, 0))
        let records = RecordQueries(database: database)
        guard let end = try records.end(ofRecordsAfter: position, limit: Self.lookedAt) else {
            return (position.value, true)
        }
        return (end.value, try records.end(ofRecordsAfter: end, limit: 1) == nil)
    }

    /// - Parameter end: of the records that are looked at.
    private func items(
        of user: UserID, after place: ExportPlace, through end: Int?, limit: Int
    ) throws(StoreError) -> [Item] {
        let part = place.part
        if let end { return try messages(of: user, after: place, through: end, limit: limit) }
        let values = Arguments([.text(user.text), place.key.boundValue, .integer(limit)])
        return try database.list(part.statement, values) { row in
            let key: ExportPlace.Key =
                switch part.firstKey {
                case .number: .number(row.integer(0))
                case .text: .text(row.text(0))
                case .id: .id(row.bytes(0) ?? [])
                }
            var data = try part.data(row)
            if part == .conversation {
                data = try withMembers(data, ofConversation: row.key(0))
            }
            return Item(place: ExportPlace(part: part, key: key), data: data)
        }
    }

    private func withMembers(_ data: [UInt8], ofConversation key: ConversationKey) throws(StoreError) -> [UInt8] {
        let members = try database.list(
            #"SELECT "user" FROM members WHERE conversation = ? ORDER BY "user""#, [key.value]
        ) { $0.text(0) }
        return JSONWriter.object { object in
            object.member("conversation", raw: data)
            object.member("member_ids", array: members) { $0.value($1) }
        }
    }

    /// Their own records of all kinds: what they have sent stands in conversations that they have left, too.
    private func messages(
        of user: UserID, after place: ExportPlace, through end: Int, limit: Int
    ) throws(StoreError) -> [Item] {
        try database.list(
            """
            SELECT \(RecordColumn.list), c.id, c.epoch, r.position
            FROM records r JOIN conversations c ON c.key = r.conversation
            WHERE r.position > ? AND r.position <= ? AND r.sender = ? ORDER BY r.position LIMIT ?
            """, Arguments([place.key.boundValue, .integer(end), .text(user.text), .integer(limit)])
        ) { row in
            let record = try MessageRecord(
                row, conversation: try row.uuid(RecordColumn.end), epoch: row.text(RecordColumn.end + 1))
            let key = ExportPlace.Key.number(row.integer(RecordColumn.end + 2))
            return Item(place: ExportPlace(part: .message, key: key), data: record.json)
        }
    }
}

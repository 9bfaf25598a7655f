import Foundation
import ParleyProtocol
import TestNames
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// Every list that is given in pages, with things in it of sizes that a test chooses.
enum ListedThings: String, CaseIterable, CustomTestStringConvertible {
    case followers, following, blocked, requests, users, reports, challenges, invites, sync, notifications, activity,
        conversations, history

    var testDescription: String { rawValue }

    var request: any Query.Type {
        switch self {
        case .followers: ListFollowers.self
        case .following: ListFollowing.self
        case .blocked: ListBlocked.self
        case .requests: ListRequests.self
        case .users: ListUsers.self
        case .reports: ListReports.self
        case .challenges: ListChallenges.self
        case .invites: ListInvites.self
        case .sync: SyncRequest.self
        case .notifications: ListNotifications.self
        case .activity: ListActivity.self
        case .conversations: ListConversations.self
        case .history: GetHistory.self
        }
    }

    /// Those that go on by a cursor which the gateway has sealed.
    static let sealed = allCases.filter { $0 != .conversations && $0 != .history }

    /// Whether a caller may ask for that of another.
    var namesOwner: Bool { self == .followers || self == .following || self == .activity }

    /// Whether what is in it has a size that is chosen here.
    var isSized: Bool { self != .invites && self != .challenges }

    /// The device that asks.
    var caller: DeviceAddress {
        request.isForOperators ? device("operator", "console") : device("alice", "phone")
    }

    /// Another that may ask for the same of its own.
    var otherCaller: DeviceAddress {
        request.isForOperators ? device("operator2", "console") : device("bob", "phone")
    }
}

/// A gateway whose lists have one thing of each of these sizes in them, all of them alice's or the operators'.
struct ListedWorld {
    /// Things are named by their number in the order of the list.
    let expected: [String]
    private let test: TestWriter
    private let list: ListedThings
    private let conversation: ConversationID
    private static let group = GroupID(UUIDValue(high: .max, low: 2))

    /// - Parameter sizes: of what is variable of each thing in bytes, in the order of the list.
    init(_ list: ListedThings, sizes: [Int]) throws {
        test = try TestWriter()
        self.list = list
        try test.store.write { transaction in
            try transaction.users.insert("operator2", role: .operator, displayName: "Operator", at: at(0))
            try transaction.devices.put(
                device("operator2", "console"), tokenID: .random(), now: at(0), expiresAt: at(1000))
        }
        try test.group(["alice", "bob"], id: ListedWorld.group, now: at(-2000))
        // A friend may ask for alice's.
        if list == .activity {
            try test.execute("INSERT INTO follows VALUES ('alice', 'bob', 0), ('bob', 'alice', 0)")
        }
        // Before all other people, so that they come first in the list of users, and are small.
        let names = sizes.indices.map { "fan\(100 + $0)" }
        var ids: [ConversationID] = []
        for (index, size) in sizes.enumerated() {
            let fan = UserID(stringLiteral: names[index])
            let isNamed = [.followers, .following, .blocked, .users].contains(list)
            try test.store.write {
                try $0.users.insert(
                    fan, role: .member, displayName: String(repeating: "n", count: isNamed ? size : 1), at: at(0))
            }
            // Those of the greatest time come first.
            let time = sizes.count - index
            // Those of the least id come first.
            let id = ConversationID(UUIDValue(high: UInt64(index), low: 1))
            switch list {
            case .followers: try test.execute("INSERT INTO follows VALUES ('\(fan)', 'alice', \(time))")
            case .following: try test.execute("INSERT INTO follows VALUES ('alice', '\(fan)', \(time))")
            case .blocked: try test.execute("INSERT INTO blocks VALUES ('alice', '\(fan)', \(time), 0, 0)")
            case .users: break
            case .activity: try ListedWorld.post(by: fan, number: time, bytes: size, test)
            case .notifications: try ListedWorld.notify(by: fan, number: time, bytes: size, test)
            case .reports:
                // The newest is the last inserted.
                let number = sizes.count - 1 - index
                try ListedWorld.report(on: UserID(stringLiteral: names[number]), bytes: sizes[number], test)
            case .invites: try ListedWorld.invite(sizes.count - 1 - index, test)
            case .requests, .conversations:
                _ = try test.conversation([fan, "alice"], id: id, now: at(Int64(time)))
                try ListedWorld.append(1, from: fan, to: id, bytes: size, test)
                try test.execute("UPDATE conversations SET last_message_seq = 1 WHERE last_seq = 1")
                try test.execute(
                    "INSERT INTO message_requests SELECT '\(fan)', 'alice', 'waiting', max(key), \(time) FROM conversations"
                )
                ids.append(id)
            case .challenges:
                _ = try test.conversation([fan, "alice"], id: id)
                try ListedWorld.challenge(time, by: fan, test)
            case .sync:
                _ = try test.conversation([fan, "alice"], id: id)
                try test.execute(
                    "UPDATE conversations SET name = '\(String(repeating: "n", count: size))' WHERE created_by = '\(fan)'"
                )
                ids.append(id)
            case .history: break
            }
        }
        let last = ConversationID(UUIDValue(high: .max, low: 1))
        conversation = try test.conversation(["bob", "alice"], id: last, now: at(-1000))
        switch list {
        case .history:
            // The newest page first.
            for (index, size) in sizes.reversed().enumerated() {
                try ListedWorld.append(index + 1, from: "bob", to: conversation, bytes: size, test)
            }
            expected = sizes.indices.map { String(sizes.count - $0) }
        // All that a sync has to tell are news and go by their ids.
        case .sync, .conversations:
            expected = (ids + [conversation, ConversationID(of: ListedWorld.group)]).map(\.description)
        case .invites: expected = sizes.indices.map { "\(ListedWorld.inviteID($0))" }
        case .users: expected = ["alice", "bob", "carol"] + names
        case .followers, .following, .blocked, .requests, .reports, .challenges, .notifications, .activity:
            expected = names
        }
    }

    private static func inviteID(_ number: Int) -> InviteID { InviteID(UUIDValue(high: UInt64(number), low: 1)) }

    private static func invite(_ number: Int, _ test: TestWriter) throws {
        try test.store.write { transaction in
            let group = try #require(try transaction.facts.groups.group(ListedWorld.group))
            let id = inviteID(number)
            try transaction.invites.insert(
                NewInvite(
                    id: id, group: group, maker: "alice", seed: id.value.bytes,
                    tokenDigest: id.value.bytes + id.value.bytes, createdAt: at(0), expiresAt: at(.days(1)), uses: nil,
                    digest: id.value.bytes))
        }
    }

    private static func append(
        _ seq: Int, from sender: UserID, to conversation: ConversationID, bytes: Int, _ test: TestWriter
    ) throws {
        let id = MessageID.random().blob.map { String(format: "%02x", $0) }.joined()
        try test.execute(
            """
            INSERT INTO records (position, conversation, seq, id, kind, sender, sender_device, type, content, nonce,
                created_at, digest)
            SELECT (SELECT coalesce(max(position), 0) + 1 FROM records), max(key), \(seq), x'\(id)', 0, '\(sender)', 'phone',
                0, zeroblob(\(bytes)), zeroblob(12), 0, zeroblob(16) FROM conversations
            """)
        try test.execute("UPDATE conversations SET last_seq = \(seq) WHERE key = (SELECT max(key) FROM conversations)")
    }

    /// By one of alice, whose description names the number.
    private static func post(by name: UserID, number: Int, bytes: Int, _ test: TestWriter) throws {
        let title = String(repeating: "t", count: bytes)
        try test.execute(
            """
            INSERT INTO activities VALUES (\(number), CAST(printf('%016d', \(number)) AS BLOB), 'alice', 'goal_reached',
                '\(title)', '\(name)', CAST('{}' AS BLOB), 0, 0, zeroblob(16), NULL)
            """)
    }

    private static func notify(by actor: UserID, number: Int, bytes: Int, _ test: TestWriter) throws {
        let type = String(repeating: "t", count: bytes)
        try test.execute(
            """
            INSERT INTO notifications VALUES ('alice', \(number), CAST(printf('%016d', \(number)) AS BLOB), '\(type)',
                '\(actor)', CAST('{}' AS BLOB), NULL, 0, 0, 0, 0)
            """)
    }

    private static func challenge(_ key: Int, by user: UserID, _ test: TestWriter) throws {
        let id = MessageID.random().blob.map { String(format: "%02x", $0) }.joined()
        try test.execute(
            """
            INSERT INTO challenges (key, id, digest, conversation, type, target, duration_days, status, created_at, published_at)
            SELECT \(key), x'\(id)', zeroblob(16), max(key), 'steps', 1, 1, 'declined', 0, 0 FROM conversations
            """)
        for (member, isChallenger) in [(user, 1), ("alice", 0)] {
            try test.execute(
                "INSERT INTO challenge_sides VALUES (\(key), '\(member)', \(isChallenger), 0, NULL, 0)")
        }
    }

    private static func report(on user: UserID, bytes: Int, _ test: TestWriter) throws {
        try test.store.write { transaction in
            try transaction.reports.insert(
                Report(
                    id: .random(), reporter: "bob", reason: "spam", user: user, message: nil,
                    evidence: [UInt8](repeating: 1, count: bytes), createdAt: at(0)),
                digest: [UInt8](repeating: 0, count: 16))
        }
    }

    /// Asks for a page.
    ///
    /// - Parameters:
    ///   - next: the members that say where it goes on, as JSON.
    ///   - kind: `nil` for the list of this world.
    ///   - caller: `nil` for the list's own.
    ///   - keyByte: another for a gateway with another key.
    func page(
        _ next: [String] = [], of kind: ListedThings? = nil, by caller: DeviceAddress? = nil, limit: Int? = nil,
        owner: UserID? = nil, keyByte: UInt8 = 7
    ) throws -> Published {
        let kind = kind ?? list
        let reader = try test.reader(key: keyByte)
        var members = ["\"limit\":\(limit ?? (list == .invites ? 1 : 200))"] + next
        if kind == .invites { members.append("\"group_id\":\"\(ListedWorld.group)\"") }
        if let owner { members.append("\"user_id\":\"\(owner)\"") }
        if kind == .sync { members.append("\"cursors\":{}") }
        if kind == .history { members.append("\"conversation_id\":\"\(conversation)\"") }
        let query = try request(kind.request, "{\(members.joined(separator: ","))}", from: caller ?? kind.caller)
        return try #require(try reader.answer(query, now: at(0)).published.first)
    }

    /// The names of the things of a page, in the order of the list.
    func names(_ page: Published) -> [String] {
        func items(_ name: String) -> [[String: Any]] { page.data[name] as? [[String: Any]] ?? [] }
        return switch list {
        case .followers, .following, .blocked, .requests, .reports:
            items("items").compactMap { $0["user_id"] as? String }
        case .activity: items("items").compactMap { $0["description"] as? String }
        case .notifications: items("items").compactMap { $0["actor_id"] as? String }
        case .challenges: items("items").compactMap { $0["challenger_id"] as? String }
        case .users: items("users").compactMap { $0["user_id"] as? String }
        case .sync: items("conversations").compactMap { $0["conversation_id"] as? String }
        case .invites: items("items").compactMap { $0["id"] as? String }
        case .conversations: items("conversations").compactMap { $0["id"] as? String }
        case .history: items("messages").compactMap { ($0["seq"] as? Int).map(String.init) }.reversed()
        }
    }

    /// What asks for the page after these; `nil` if there is none.
    func next(after page: Published, all names: [String]) -> [String]? {
        switch list {
        case .conversations: names.count < expected.count ? ["\"offset\":\(names.count)"] : nil
        case .history: (page.data["next_cursor"] as? Int).map { ["\"before\":\($0)"] }
        case .followers, .following, .blocked, .requests, .users, .reports, .challenges, .invites, .sync,
            .notifications,
            .activity:
            (page.data["next_cursor"] as? String).map { ["\"cursor\":\"\($0)\""] }
        }
    }
}

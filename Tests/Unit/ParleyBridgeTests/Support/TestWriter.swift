import TestSupport
import Logging
import ParleyProtocol
import ParleyRules
import Sodium
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// A writer on a store of its own, with people in it and no broker: requests in, effects out.
final class TestWriter {
    let directory = TemporaryDirectory.unmade()
    /// `nil` where it is a file in `directory`.
    private let database: (any TestedDatabase)?
    let store: Store
    let pushes: PushStore
    let writer: Writer
    let counters = Counters()
    /// How far the broker has acknowledged.
    let published = PublishedPosition()

    /// - Parameters:
    ///   - shared: one that the caller has opened, without rows; `nil` for one of its own.
    ///   - privacy: who may write to the people without asking. Most tests are about other things than that.
    ///   - cells: where the file is one of several cells'.
    ///   - trace: told each statement that runs.
    init(
        on shared: Store? = nil, privacy: MessagePrivacy = .anyone, _ change: (inout Settings) -> Void = { _ in },
        cells: ListedCells? = nil, trace: (@Sendable (String) -> Void)? = nil
    ) throws {
        try directory.make()
        let path = directory.path + "/parley.db"
        try MigratedDatabase.write(to: path)
        database = shared == nil && cells == nil ? try TestedEngine.makeRemoteDatabase() : nil
        store =
            if let shared {
                shared
            } else if let cells {
                Store(SharedFile(file: try SQLiteFile(path: path, migrations: .shipped, trace: trace), listed: cells))
            } else {
                try database?.open() ?? Store(path: path, migrations: .shipped, trace: trace)
            }
        let pushPath = directory.path + "/push.db"
        try MigratedDatabase.writePushes(to: pushPath)
        pushes = try PushStore(in: store) ?? PushStore(path: pushPath)
        var settings = Settings()
        settings.firstMessageBurst = 10_000
        change(&settings)
        writer = try TestWriter.writer(store, settings, counters, published)
        try store.read { snapshot in
            try pushes.read(beside: snapshot) {
                try writer.push.load(snapshot, $0, sharesDevices: pushes.isShared)
            }
        }
        try store.write { transaction in
            for user in ["alice", "bob", "carol"] as [UserID] {
                try transaction.users.insert(
                    user, role: .member, displayName: user.text, messagePrivacy: privacy, at: at(0))
                for name in ["phone", "laptop"] as [DeviceID] {
                    try transaction.devices.put(device(user, name), tokenID: .random(), now: at(0), expiresAt: at(1000))
                }
            }
            try transaction.users.insert("operator", role: .operator, displayName: "Operator", at: at(0))
            try transaction.devices.put(
                device("operator", "console"), tokenID: .random(), now: at(0), expiresAt: at(1000))
        }
    }

    static func tokens() throws -> TokenIssuer {
        let seed = [UInt8](repeating: 7, count: Ed25519.seedLength)
        return TokenIssuer(key: try Ed25519.SigningKey(seed: try SecretBytes(copying: seed.span)))
    }

    private static func writer(
        _ store: Store, _ settings: Settings, _ counters: Counters, _ published: PublishedPosition,
        _ instant: @escaping () -> ContinuousClock.Instant = { .now }
    ) throws -> Writer {
        // No other gateway is live: replies are not held for one.
        if let cells = store.cells { _ = try store.read { try cells.states(in: $0) } }
        return Writer(
            store: store, settings: settings, tokens: try tokens(), counters: counters, published: published,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, instant: instant)
    }

    /// The writer of a process that comes after this one.
    ///
    /// - Parameters:
    ///   - store: where it is not the same.
    ///   - instant: what the time that a write takes is measured by.
    func anotherWriter(
        on store: Store? = nil, _ change: (inout Settings) -> Void = { _ in },
        instant: @escaping () -> ContinuousClock.Instant = { .now }
    ) throws -> Writer {
        var settings = writer.settings
        change(&settings)
        return try TestWriter.writer(store ?? self.store, settings, counters, published, instant)
    }

    /// What answers queries of this writer's store.
    ///
    /// - Parameters:
    ///   - settings: the writer's where none are given.
    ///   - key: of the seal of cursors.
    func reader(
        of store: Store? = nil, _ settings: Settings? = nil, key: UInt8 = 7, limits: UserLimits? = nil,
        people: ConnectedPeople = ConnectedPeople(), vapidKey: String? = nil,
        publishedThrough: PublishedPosition = PublishedPosition()
    ) throws -> Reader {
        let settings = settings ?? writer.settings
        return Reader(
            store: store ?? self.store, pushes: pushes, live: LiveSettings(settings),
            seal: try CursorSealTests.seal(key),
            limits: limits ?? UserLimits(settings), counters: counters, people: people, vapidKey: vapidKey,
            publishedThrough: publishedThrough)
    }

    /// Makes a conversation of these, the first being its maker.
    func conversation(_ members: [UserID], id: ConversationID = .random(), now: Timestamp = at(0)) throws
        -> ConversationID
    {
        try store.write { transaction in
            _ = try transaction.conversations.insert(
                NewConversation(
                    id: id, type: .group, name: nil, creator: try #require(members.first),
                    members: members.map { ($0, .member) }, epoch: "epoch", digest: nil), at: now)
            return id
        }
    }

    /// More people, each with a phone.
    func addPeople(_ users: [UserID]) throws {
        try store.write { transaction in
            for user in users {
                try transaction.users.insert(user, role: .member, displayName: user.text, at: at(0))
                try transaction.devices.put(
                    device(user, "phone"), tokenID: .random(), now: at(0), expiresAt: at(.days(1)))
            }
        }
    }

    /// Makes a group of these, the first being its maker and admin.
    @discardableResult
    func group(
        _ members: [UserID], id: GroupID = .random(), timeZone: String = "UTC", now: Timestamp = at(0)
    ) throws -> ConversationID {
        let conversation = ConversationID(of: id)
        try store.write { transaction in
            _ = try transaction.conversations.insert(
                NewConversation(
                    id: conversation, type: .group, name: "Runners", creator: try #require(members.first),
                    members: members.map { ($0, $0 == members.first ? .admin : .member) }, epoch: "epoch", digest: nil),
                at: now)
            let state = try #require(try transaction.facts.conversations.conversation(conversation))
            _ = try transaction.groups.insert(
                id, of: state, timeZone: timeZone, digest: [UInt8](repeating: 0, count: 16))
        }
        _ = try writer.write(now: now) { batch throws(StoreError) in
            if let group = try batch.facts().groups.group(id) { try BoardUpdates(batch: batch).begin(group) }
        }
        try execute("UPDATE boards SET published_version = version")
        return conversation
    }

    /// What is unread is counted afterwards, as the publisher does.
    ///
    /// - Parameter withFindings: whether requests that have no finding of the desk's get one.
    @discardableResult
    func carryOut(
        _ requests: [IncomingCommand], now: Timestamp = at(0), withFindings: Bool = true
    ) -> Writer.Outcome {
        let requests = withFindings ? requests.map(withFindingIfNone) : requests
        var outcome = writer.carryOut(requests, now: now)
        do throws(StoreError) {
            try countUnread(in: &outcome.effects.outgoing)
        } catch {
            Issue.record(error)
        }
        return outcome
    }

    func countUnread(in outgoing: inout Outgoing) throws(StoreError) {
        let scopes = outgoing.unreadScopes
        guard !scopes.isEmpty else { return }
        outgoing.fillUnreadCounts(try store.read { try $0.unread.counts(scopes) })
    }

    /// One value of a query as text.
    func text(_ query: String) throws -> String? {
        let sql = (query.hasPrefix("SELECT") ? "SELECT CAST((\(query)) AS TEXT)" : query).quotingUser
        return try store.read { snapshot throws in
            try snapshot.database.row(sql)?.bytes(0).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    func execute(_ sql: String) throws { try store.write { try $0.database.run(sql.quotingUser) } }
}

extension Writer {
    /// Uses up what a user has left of a limit; how much it was.
    func useUp(_ use: LimitedUse, by user: UserID, now: Timestamp) throws -> Int {
        try write(now: now) { batch throws(StoreError) in
            var count = 0
            while try batch.waitToUse(use, 1, by: user) == nil {
                batch.countUses(use, 1, by: user)
                count += 1
            }
            return count
        }.0
    }
}

extension Reader {
    /// By a clock that has followed no step.
    func answer(_ incoming: IncomingQuery, now: Timestamp) -> Outgoing {
        answer(incoming, at: Moment(now: now, clockOffset: 0))
    }
}

/// A command as it comes out of the ingress.
func request(
    _ type: any Command.Type, _ json: String, from sender: DeviceAddress = device("alice", "phone")
) throws -> IncomingCommand {
    let handler = try #require(type as? any CommandHandler.Type)
    return Incoming(
        route: route(of: type, from: sender), askers: type.askers,
        request: try handler.init(members: try JSONObject(parsing: Array(json.utf8))))
}

/// A query as it comes out of the ingress.
func request(
    _ type: any Query.Type, _ json: String, from sender: DeviceAddress = device("alice", "phone")
) throws -> IncomingQuery {
    let handler = try #require(type as? any QueryHandler.Type)
    return Incoming(
        route: route(of: type, from: sender), askers: type.askers,
        request: try handler.init(members: try JSONObject(parsing: Array(json.utf8))))
}

private func route(of type: any Request.Type, from sender: DeviceAddress) -> ReplyRoute {
    ReplyRoute(
        address: sender, operation: type.operation, responseTopic: nil, correlationData: nil, requestID: nil,
        isSilent: !type.hasReply)
}

/// `messages/send` of a message that is told from others by `text`.
func send(
    _ conversation: ConversationID, id: MessageID = .random(), text: String = "a message of some length",
    from sender: DeviceAddress = device("alice", "phone"), replyTo: MessageID? = nil, echo: Bool = false
) throws -> IncomingCommand {
    let message = SendMessage(
        id: id, conversation: conversation, type: .text, suite: .naclBox, content: Array(text.utf8),
        nonce: [UInt8](repeating: 9, count: 24), replyTo: replyTo, echoIsReply: echo)
    return try request(SendMessage.self, String(decoding: message.payload(), as: UTF8.self), from: sender)
}

/// In tests a position is written as its number.
extension StreamPosition: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int) { self.init(number: value) }
}

func + (position: StreamPosition, count: Int) -> StreamPosition { StreamPosition(number: position.number + count) }

import Foundation
import Logging
import ParleyProtocol
import ParleyRules
import Sodium
import TestNames
import TestSupport
import TestedStores
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// A writer on a database that is taken from it and given to another, as when its process is killed: what lies in a
/// file and its log is copied while the old one has them open, and a cell of PostgreSQL's is taken over.
final class InterleavedGateway {
    static let users: [UserID] = ["alice", "bob", "carol"]
    /// Ten devices of three users.
    static let devices: [DeviceAddress] = [
        ("alice", 4), ("bob", 3), ("carol", 3),
    ].flatMap { user, count in (0..<count).map { DeviceAddress(user: user, device: DeviceID(validated: "d\($0)")) } }

    let group: ConversationID
    let direct: ConversationID
    private let directory = TemporaryDirectory.unmade()
    /// `nil` where there is a file.
    private let remote: (any TestedDatabase)?
    private var generation = 0
    private(set) var store: Store
    private var writer: Writer

    var conversations: [ConversationID] { [group, direct] }

    init() throws {
        try directory.make()
        let path = directory.path + "/0.db"
        remote = try TestedEngine.makeRemoteDatabase()
        if let remote {
            store = try remote.open()
        } else {
            try MigratedDatabase.write(to: path)
            store = try Store(path: path)
        }
        writer = try InterleavedGateway.writer(store)
        group = ConversationID(UUIDValue(high: 0x4000, low: 1))
        direct = try ConversationID.direct(["alice", "bob"])
        let (group, direct) = (group, direct)
        try store.write { transaction in
            for user in InterleavedGateway.users {
                try transaction.users.insert(
                    user, role: .member, displayName: user.text, messagePrivacy: .anyone, at: at(0))
            }
            for address in InterleavedGateway.devices {
                try transaction.devices.put(address, tokenID: .random(), now: at(0), expiresAt: at(1_000_000))
            }
            for (id, type, users) in [
                (group, .group, InterleavedGateway.users), (direct, .direct, ["alice", "bob"]),
            ] as [(ConversationID, ConversationType, [UserID])] {
                _ = try transaction.conversations.insert(
                    NewConversation(
                        id: id, type: type, name: nil, creator: "alice",
                        members: users.map { ($0, $0 == "alice" && type == .group ? .admin : .member) },
                        epoch: "epoch", digest: nil), at: at(0))
            }
        }
    }

    private static func writer(_ store: Store) throws -> Writer {
        var settings = Settings()
        settings.firstMessageBurst = 10_000_000
        let seed = [UInt8](repeating: 7, count: Ed25519.seedLength)
        return Writer(
            store: store, settings: settings,
            tokens: TokenIssuer(key: try Ed25519.SigningKey(seed: try SecretBytes(copying: seed.span))),
            counters: Counters(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// The replies, one for each request; and what is left to be counted.
    func carryOut(_ requests: [IncomingCommand], now: Timestamp) throws -> (replies: [Published], uncounted: Outgoing) {
        let outcome = writer.carryOut(requests, now: now)
        try #require(outcome.isCommitted)
        return (try outcome.effects.outgoing.replies, outcome.effects.outgoing)
    }

    /// A copy of what a disk would hold if the process were killed now; `nil` where there is no file.
    func remains() throws -> String? {
        guard remote == nil else { return nil }
        generation += 1
        let (old, new) = ("\(directory.path)/\(generation - 1).db", "\(directory.path)/\(generation).db")
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: old + suffix) {
            try FileManager.default.copyItem(atPath: old + suffix, toPath: new + suffix)
        }
        return new
    }

    /// Another process begins with what is left.
    func restart(with path: String?) throws {
        guard let store = try path.map({ try Store(path: $0) }) ?? remote?.open() else { return }
        self.store = store
        writer = try InterleavedGateway.writer(store)
    }

    /// Damages what is stored, as a planted fault does.
    func execute(_ sql: String) throws { try store.write { try $0.database.run(sql) } }
}

func incoming(_ request: any Command, from sender: DeviceAddress) throws -> IncomingCommand {
    Incoming(
        route: ReplyRoute(
            address: sender, operation: request.operation, responseTopic: nil, correlationData: nil, requestID: nil,
            isSilent: false),
        askers: .everyone, request: try #require(request as? any CommandHandler))
}

import Foundation
import Logging
import ParleyProtocol
import ParleyRules
import TestNames
import TestSupport
import Testing

@testable import ParleyBridge
@testable import ParleyStore

@Suite("A database that is put back", .ownThreads)
struct RestorationTests {
    private let place = TemporaryDirectory.unmade()
    private var directory: DataDirectory { DataDirectory(path: place.path) }
    private var file: String { place.path + "/kept" }

    init() throws { try place.make() }

    private static let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// A start of the gateway: one group, in which a record is written.
    @discardableResult
    private static func run(in path: String, records: Int = 1) throws -> WitnessMark {
        let directory = DataDirectory(path: path)
        try Restoration(directory).finish()
        let store = try Store(path: directory.database)
        let mark = try DatabaseContinuity.begin(store, in: directory, logger: quiet).mark
        try store.write { transaction in
            let id = ConversationID(UUIDValue(high: 1, low: 1))
            if try transaction.facts.conversations.conversation(id) == nil {
                for user in ["alice", "bob", "carol"] as [UserID] {
                    try transaction.users.insert(user, role: .member, displayName: user.text, at: at(0))
                }
                for (number, type) in [(1, ConversationType.group), (2, .direct)] as [(UInt64, ConversationType)] {
                    _ = try transaction.conversations.insert(
                        NewConversation(
                            id: ConversationID(UUIDValue(high: 1, low: number)), type: type, name: nil,
                            creator: "alice", members: [("alice", .admin), ("bob", .member)], epoch: "first \(number)",
                            digest: nil), at: at(0))
                }
            }
            for _ in 0..<records {
                try transaction.insertEvent(
                    Array(#"{"epoch":"first 1","name":"\"epoch\":\"first 2\""}"#.utf8),
                    at: try transaction.facts.outbox.lastPosition() + 1)
            }
        }
        try store.checkpoint()
        try store.close()
        return mark
    }

    private func read<Value>(_ body: (Snapshot) throws -> Value) throws -> Value {
        let store = try Store(path: directory.database)
        defer { try? store.close() }
        return try store.read(body)
    }

    private func epochs() throws -> [String?] {
        try read { snapshot in
            try [UInt64(1), 2].map { number in
                let id = ConversationID(UUIDValue(high: 1, low: number))
                return try snapshot.conversations.conversation(id)?.facts.epoch
            }
        }
    }

    private var isFirstEpoch: Bool { get throws { try epochs() == ["first 1", "first 2"] } }

    private func names() throws -> Set<String> { Set(try FileManager.default.contentsOfDirectory(atPath: place.path)) }

    private func copy(_ source: String, to target: String) throws {
        try? FileManager.default.removeItem(atPath: target)
        try FileManager.default.copyItem(atPath: source, toPath: target)
    }

    // MARK: Noticing

    @Test("start after start the epochs stay as they are, and the first start after an upgrade renews nothing")
    func same() throws {
        for _ in 0..<3 { try Self.run(in: place.path) }
        #expect(try isFirstEpoch)
        try FileManager.default.removeItem(atPath: WitnessFile(directory).path)
        try Store(path: directory.database).write { try $0.database.run("DELETE FROM instance") }
        try Self.run(in: place.path)
        #expect(try isFirstEpoch)
        #expect(try place.permissions("parley.witness") == 0o600)
    }

    @Test("a copy from an earlier start is noticed, and every conversation has another epoch")
    func earlierStart() throws {
        try Self.run(in: place.path)
        try copy(directory.database, to: file)
        try Self.run(in: place.path)
        #expect(try isFirstEpoch)
        try copy(file, to: directory.database)
        try Self.run(in: place.path)
        let renewed = try epochs()
        #expect(renewed.allSatisfy { $0?.utf8.count == 8 } && Set(renewed).count == 2)
        // Once.
        try Self.run(in: place.path)
        #expect(try epochs() == renewed)
    }

    @Test("a copy from the same run is noticed by how far it has come")
    func sameRun() throws {
        try Self.run(in: place.path)
        try copy(directory.database, to: file)
        // The run goes on.
        let store = try Store(path: directory.database)
        let position = try store.write { transaction in
            let next = try transaction.facts.outbox.lastPosition() + 1
            try transaction.insertEvent([2], at: next)
            return next
        }
        try store.checkpoint()
        try store.close()
        try WitnessFile(directory).mark(position: 0).advance(to: position)
        try copy(file, to: directory.database)
        try Self.run(in: place.path)
        #expect(try !isFirstEpoch)
    }

    @Test("a restore puts what is displayed and traced back, and keeps the database of pushes that was there")
    func pushes() throws {
        /// A start of the gateway: bob is notified of one more conversation.
        func start(_ seq: Int) throws -> [String] {
            try Self.run(in: place.path)
            let store = try Store(path: directory.database)
            let pushes = try PushStore(path: directory.pushDatabase)
            try pushes.link(to: store, name: InstanceName.random())
            let displayed = try (1...9).filter { conversation in
                try pushes.read { try $0.displays.seq(to: "bob", of: ConversationKey(value: conversation)) } != nil
            }
            try pushes.write { try $0.displays.set([("bob", ConversationKey(value: Int64(seq)), 1)]) }
            try pushes.checkpoint()
            try pushes.close()
            try store.close()
            return displayed.map(String.init)
        }
        #expect(try start(1) == [])
        _ = try Restoration(directory).backUp(to: file)
        #expect(try start(2) == ["1"])
        let kept = try #require(try Restoration(directory).restore(from: file).kept)
        #expect(try names().contains { $0.hasPrefix("push.db.replaced-") && kept.hasSuffix($0.dropFirst(16)) })
        #expect(try start(3) == ["1"])
        #expect(try start(4) == ["1", "3"])
        // Put back by hand without a name that belongs to it.
        _ = try Restoration(directory).beginAnew()
        #expect(try start(5) == [])
    }

    @Test("a backup is noticed wherever it is put, also where nothing was and from the same moment")
    func backup() throws {
        try Self.run(in: place.path)
        #expect(try Restoration(directory).backUp(to: file).bytes > 0)
        #expect(try place.permissions("kept") == 0o600)
        try copy(file, to: directory.database)
        try Self.run(in: place.path)
        #expect(try !isFirstEpoch)
        let elsewhere = TemporaryDirectory.unmade()
        try elsewhere.make()
        try copy(file, to: elsewhere.path + "/parley.db")
        try Self.run(in: elsewhere.path)
        let store = try Store(path: elsewhere.path + "/parley.db")
        #expect(
            try store.read { try $0.conversations.conversation(ConversationID(UUIDValue(high: 1, low: 1))) }?.facts
                .epoch != "first 1"
        )
    }

    @Test(
        "a witness that cannot be read vouches for nothing",
        arguments: ["", "parley.witness 1\n", "parley.witness 2\n00000000000000000001\na\n", "\u{0}\u{0}\u{0}"])
    func unreadable(_ text: String) throws {
        try Self.run(in: place.path)
        try place.write(text, to: "parley.witness")
        try Self.run(in: place.path)
        #expect(try !isFirstEpoch)
    }

    @Test("what is retained of groups and what waits in the outbox says the new epoch; of two nothing is told")
    func published() throws {
        try Self.run(in: place.path)
        _ = try Restoration(directory).beginAnew()
        let (group, direct) = (try epochs()[0] ?? "", try epochs()[1] ?? "")
        let events = try read { try $0.outbox.unpublished(after: 0, limit: 100) }
        let texts = events.compactMap { event -> String? in
            guard case .event(_, let topic, let payload, let retain, _) = event else { return nil }
            return "\(retain) \(String(decoding: topic, as: UTF8.self)) \(String(decoding: payload, as: UTF8.self))"
        }
        #expect(texts.count == 2)
        #expect(texts[0] == #"false topic {"epoch":"\#(group)","name":"\"epoch\":\"first 2\""}"#)
        #expect(texts[1].hasPrefix("true parley/v1/conversations/00000000-0000-0001-0000-000000000001/info"))
        #expect(texts[1].contains(#""epoch":"\#(group)""#))
        #expect(!texts.contains { $0.contains(direct) })
    }

    @Test("a process that is killed anywhere in a start is no reason to take the database for another")
    func killedAtStart() async throws {
        try Self.run(in: place.path)
        for step in DatabaseContinuity.Step.allCases {
            let number = DatabaseContinuity.Step.allCases.firstIndex(of: step) ?? 0
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = place.path as String, number = number as Int] in
                let directory = DataDirectory(path: path)
                let store = try Store(path: directory.database)
                try DatabaseContinuity.begin(store, in: directory, logger: RestorationTests.quiet) { step in
                    if step == DatabaseContinuity.Step.allCases[number] { kill(getpid(), SIGKILL) }
                }
            }
            try Self.run(in: place.path)
            #expect(try isFirstEpoch, "\(step)")
        }
    }

    // MARK: Restoring

    @Test("what was there is kept, and what is put back goes on from where it ends")
    func restored() throws {
        try Self.run(in: place.path)
        _ = try Restoration(directory).backUp(to: file)
        try Self.run(in: place.path, records: 5)
        let outcome = try Restoration(directory).restore(from: file)
        #expect(outcome.conversations == 2)
        let kept = try #require(outcome.kept)
        #expect(try Store(path: kept).read { try $0.outbox.lastPosition() } == 6)
        #expect(try !isFirstEpoch)
        let renewed = try epochs()
        try Self.run(in: place.path)
        #expect(try epochs() == renewed)
        #expect(try names().filter { $0.hasPrefix("parley.db.resto") }.isEmpty)
    }

    @Test("what is no backup of ours, damaged, empty, newer or the database itself is refused, and nothing happens")
    func refused() throws {
        try Self.run(in: place.path)
        let before = try place.bytes("parley.db")
        _ = try Restoration(directory).backUp(to: file)
        var damaged = try place.bytes("kept")
        for index in stride(from: 5000, to: damaged.count, by: 3) { damaged[index] = 0x55 }
        try Data(damaged).write(to: URL(filePath: place.path + "/damaged"))
        try place.write("no database, but a long enough text to be taken for one, perhaps", to: "text")
        try place.write("", to: "empty")
        let later = Migration(name: "999", sql: "CREATE TABLE later (x INTEGER) STRICT")
        try Store(path: place.path + "/newer", migrations: Migrations(Migrations.steps + [later])).close()
        for (name, word) in [
            ("damaged", "damaged"), ("text", "not a"), ("empty", "nothing is in it"), ("newer", "newer version"),
            ("missing", "no such file"), ("parley.db", "--in-place"),
        ] {
            #expect("\(name)") {
                _ = try Restoration(directory).restore(from: "\(place.path)/\(name)")
            } throws: { "\($0)".contains(word) }
            #expect(try place.bytes("parley.db") == before, "\(name)")
            #expect(try names().filter { $0.hasPrefix("parley.db.") }.isEmpty, "\(name)")
        }
        #expect { _ = try Restoration(directory).backUp(to: file) } throws: { "\($0)".contains("exists") }
        try Self.run(in: place.path)
        #expect(try isFirstEpoch)
    }

    @Test("killed at any step, what was not decided has not happened, and what was is finished by whoever comes next")
    func killed() async throws {
        for byRepeat in [false, true] {
            for number in Restoration.Step.allCases.indices {
                let (step, place) = (Restoration.Step.allCases[number], TemporaryDirectory.unmade())
                try place.make()
                try Self.run(in: place.path)
                let file = place.path + "/kept"
                _ = try Restoration(DataDirectory(path: place.path)).backUp(to: file)
                try Self.run(in: place.path, records: 5)
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [path = place.path as String, number = number as Int] in
                    let restoration = Restoration(DataDirectory(path: path)) { step in
                        if step == Restoration.Step.allCases[number] { kill(getpid(), SIGKILL) }
                    }
                    _ = try restoration.restore(from: path + "/kept")
                }
                if byRepeat { _ = try Restoration(DataDirectory(path: place.path)).restore(from: file) }
                try Self.run(in: place.path, records: 0)
                let store = try Store(path: place.path + "/parley.db")
                let (epoch, position) = try store.read {
                    (
                        try $0.conversations.conversation(ConversationID(UUIDValue(high: 1, low: 1)))?.facts.epoch,
                        try $0.outbox.lastPosition()
                    )
                }
                let isDecided = byRepeat || ![.copied, .begunAnew, .bothNamesWritten].contains(step)
                // The old one ends at 6; the backup at 1, and what is retained of the group follows.
                #expect(position == (isDecided ? 2 : 6) && (epoch == "first 1") == !isDecided, "\(step)")
            }
        }
    }
}

extension WriteTransaction {
    /// Keeps one event that has no record.
    fileprivate func insertEvent(_ payload: [UInt8], at position: StreamPosition) throws {
        var writes = PendingWrites()
        writes.append(position: position, topic: Array("topic".utf8)[...], payload: payload[...], retain: false)
        _ = try apply(writes)
    }
}

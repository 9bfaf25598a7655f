import TestSupport
import Foundation
import ParleyDeviceStore
import ParleyProtocol
import Testing

@testable import ParleyClient

@Suite("Recovering a device's database")
struct StorageRecoveryTests {
    private let position: TemporaryDirectory
    private let directory: DeviceDirectory
    private let configuration: ClientConfiguration
    private let conversation = ConversationID(UUIDValue(high: 1, low: 1))
    private let message = MessageID(UUIDValue(high: 2, low: 2))

    init() throws {
        position = try TemporaryDirectory()
        directory = position.directory(of: device("alice/phone"))
        configuration = .offline(in: directory)
    }

    private var path: String { configuration.databasePath }

    /// Leaves one message waiting.
    private func fill() throws {
        try configuration.write { try $0.enqueue(message, in: conversation, content: [1]) }
    }

    private func queued() throws -> [MessageID] {
        let store = try configuration.openStore()
        defer { try? store.close() }
        return try store.read { try $0.queued() }.map(\.id)
    }

    private func recover() throws -> StorageRecovery { try MessagingClient.recoverStorage(configuration) }

    @Test("one that is in order stays as it is, and one that is open is not touched")
    func inOrder() throws {
        try fill()
        let before = try directory.bytes(path)
        #expect(try recover() == StorageRecovery())
        #expect(try directory.bytes(path) == before)
        let store = try configuration.openStore()
        #expect { try recover() } throws: { error in
            if case ClientError.storage(.inUse) = error { true } else { false }
        }
        try store.close()
    }

    @Test("what is no database at all is put aside, and said not to be whole")
    func foreign() throws {
        try fill()
        let foreign = Array(repeating: UInt8(ascii: "x"), count: 8192)
        try directory.overwrite(path, with: foreign)
        let recovery = try recover()
        #expect(recovery.damagedFiles == [path + ".rescued-1"] && !recovery.isWhole && recovery.rescued == 0)
        #expect(try directory.bytes(path + ".rescued-1") == foreign)
        #expect(try queued().isEmpty)
        #expect(try recover() == StorageRecovery())
    }

    @Test("a recovery that was interrupted is finished by the next, though the new database is in order")
    func interrupted() throws {
        try fill()
        try DeviceStore.quarantine(path: path)
        let recovery = try recover()
        #expect(recovery.damagedFiles == [path + ".rescued-1"] && recovery.rescued == 1 && recovery.isWhole)
        #expect(try queued() == [message])
    }

    @Test("what was written under other keys waits for them, and is rescued when they are back")
    func otherKeys() throws {
        try fill()
        let keys = try directory.bytes(directory.keysPath)
        try FileManager.default.removeItem(atPath: directory.keysPath)
        for _ in 1...2 {
            let recovery = try recover()
            #expect(recovery.damagedFiles == [path + ".set-aside-1"] && recovery.unreadable == 1)
            #expect(try queued().isEmpty)
        }
        try directory.overwrite(directory.keysPath, with: keys)
        let recovery = try recover()
        #expect(recovery.damagedFiles == [path + ".rescued-1", path + ".rescued-2"] && recovery.rescued == 1)
        #expect(recovery.unreadable == 0 && recovery.isWhole)
        #expect(try queued() == [message])
    }

    @Test("workouts and reports that wait are rescued, though no message waits")
    func requests() throws {
        try configuration.write { transaction in
            for number in 1...3 as ClosedRange<UInt64> {
                try transaction.keepRequest(UUIDValue(high: 3, low: number), [UInt8(number)])
            }
        }
        try DeviceStore.quarantine(path: path)
        let recovery = try recover()
        #expect(recovery.rescuedRequests == 3 && recovery.rescued == 0 && recovery.isWhole)
        #expect(recovery.damagedFiles == [path + ".rescued-1"])
        let rescued = try configuration.openStore()
        #expect(try rescued.read { try $0.requestCount() } == 3)
        #expect(try rescued.read { try $0.request(after: .min) }?.content == [1])
        try rescued.close()
    }

    @Test("where nothing is kept on disk nothing is recovered")
    func memory() throws {
        try fill()
        try directory.overwrite(path, with: [1, 2, 3])
        var inMemory = configuration
        inMemory.storage = .memory
        #expect(try MessagingClient.recoverStorage(inMemory) == StorageRecovery())
        #expect(try directory.bytes(path) == [1, 2, 3])
    }
}

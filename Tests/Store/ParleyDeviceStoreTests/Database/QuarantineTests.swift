import Foundation
import ParleyProtocol
import TestNames
import TestSupport
import Testing

@testable import ParleyDeviceStore

@Suite("Quarantined databases")
struct QuarantineTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Messages 1 to 3 wait, the second failed and the third once tried; message 9 was received.
    private func fill() throws -> DeviceStore {
        let store = try directory.open()
        try store.write { transaction in
            try transaction.insert(stored("received", seq: 9))
            try transaction.enqueue(1...3)
            try transaction.fail(message(2), reason: "too large")
            try transaction.setRequest([33], of: message(3))
        }
        return store
    }

    /// Closes a store, and puts its file aside.
    private func quarantine(_ store: DeviceStore) throws -> String {
        try store.close()
        return try DeviceStore.quarantine(path: directory.database)
    }

    private func rescue(into store: DeviceStore, from file: String) throws -> DeviceStore.Rescue {
        try store.rescue(from: file, device: phone, storageKey: storageKey())
    }

    @Test("what waits in a quarantined file comes to the new one, once")
    func waitingMessagesComeOnce() throws {
        let aside = try quarantine(fill())
        #expect(DeviceStore.quarantinedFiles(of: directory.database) == [aside])
        let store = try directory.open()
        try store.write { try $0.enqueue(message(50), in: conversation(2), content: [50]) }
        #expect(try rescue(into: store, from: aside) == .init(rescued: 3))
        let queued = try store.read { try $0.queued() }
        #expect(queued.map(\.content) == [[50], [1], [2], [3]])
        #expect(queued.map(\.request) == [nil, nil, nil, [33]])
        #expect(queued[2].state == .failed(reason: "too large"))
        #expect(try store.texts().isEmpty)
        #expect(try rescue(into: store, from: aside) == .init(rescued: 0))
    }

    @Test("a file that was rescued is kept under another name, and its number is not given again")
    func rescuedFileKeepsItsNumber() throws {
        try fill().close()
        let before = try directory.bytes()
        let aside = try DeviceStore.quarantine(path: directory.database)
        let store = try directory.open()
        _ = try rescue(into: store, from: aside)
        let kept = try store.markRescued(aside)
        #expect(
            kept == directory.database + ".rescued-1" && DeviceStore.quarantinedFiles(of: directory.database).isEmpty)
        #expect(try directory.bytes("messages.db.rescued-1") == before)
        #expect(try quarantine(store) == directory.database + ".set-aside-2")
    }

    @Test("a file in order passes its check, and one with a page that is none does not")
    func checkTellsGoodFromBad() throws {
        let store = try fill()
        try store.check()
        let root = try store.number("SELECT rootpage FROM sqlite_schema WHERE name = 'messages_by_expiry'")
        try store.close()
        var bytes = try directory.bytes()
        bytes[(root - 1) * 4096] = 0xFF
        try directory.write(bytes)
        #expect(throws: DeviceStoreError.damaged(path: directory.database)) { try directory.open().check() }
        #expect(try directory.bytes() == bytes)
    }

    @Test("what was sent meanwhile does not come back")
    func sentMessagesStayAway() throws {
        let aside = try quarantine(fill())
        let store = try directory.open()
        try store.write { try $0.insert(stored("sent", seq: 20, id: message(1))) }
        #expect(try rescue(into: store, from: aside) == .init(rescued: 2))
    }

    @Test("a file is not quarantined while it is open")
    func openFileStays() throws {
        let store = try fill()
        #expect(throws: DeviceStoreError.inUse(path: directory.database)) {
            try DeviceStore.quarantine(path: directory.database)
        }
        _ = try quarantine(store)
    }

    @Test("a file that its user has deleted hides none of those after it")
    func deletedFileHidesNone() throws {
        var aside: [String] = []
        for _ in 0..<3 {
            aside.append(try quarantine(directory.open()))
        }
        for deleted in [aside[0], aside[1]] {
            try FileManager.default.removeItem(atPath: deleted)
            #expect(DeviceStore.quarantinedFiles(of: directory.database).last == aside[2])
        }
        let store = try directory.open()
        #expect(try store.markRescued(aside[2]) == directory.database + ".rescued-3")
        try store.close()
        try FileManager.default.removeItem(atPath: directory.database + ".rescued-3")
        // No name is given twice while anything is left that had it.
        #expect(try quarantine(directory.open()) == directory.database + ".set-aside-1")
    }

    @Test("each quarantined file has a name of its own")
    func eachFileHasItsName() throws {
        for _ in 0..<2 {
            _ = try quarantine(directory.open())
        }
        #expect(DeviceStore.quarantinedFiles(of: directory.database).count == 2)
    }

    @Test("the log goes along, and what is in it alone is rescued")
    func logGoesAlong() throws {
        let store = try fill()
        let (database, log) = (try directory.bytes(), try directory.bytes("messages.db-wal"))
        try store.close()
        // As a process that was killed leaves them.
        try directory.write(database)
        try directory.write(log, to: "messages.db-wal")
        let aside = try DeviceStore.quarantine(path: directory.database)
        #expect(try !directory.names.contains("messages.db-wal"))
        #expect(try rescue(into: directory.open(), from: aside) == .init(rescued: 3))
    }

    @Test("a damaged message is counted, and another key reads none")
    func damagedMessageIsCounted() throws {
        let store = try fill()
        try store.execute("UPDATE queue SET sealed_content = zeroblob(50) WHERE position = 2")
        let aside = try quarantine(store)
        let new = try directory.open()
        let wrong = try new.rescue(from: aside, device: phone, storageKey: storageKey(1))
        #expect(wrong == .init(unreadable: 3))
        #expect(try rescue(into: new, from: aside) == .init(rescued: 2, unreadable: 1))
    }

    @Test("a file that is none, or not there, rescues nothing and says so")
    func missingFileRescuesNothing() throws {
        try directory.write(Array(String(repeating: "no database", count: 900).utf8), to: "other")
        let store = try directory.open()
        for name in ["other", "missing"] {
            #expect(try rescue(into: store, from: directory.path + "/" + name) == .init(isWhole: false))
        }
        #expect(try !directory.names.contains("missing"))
    }

    // MARK: Requests

    private func keep(_ numbers: ClosedRange<UInt64>, in store: DeviceStore) throws {
        try store.write { transaction in
            for number in numbers {
                try transaction.keepRequest(UUIDValue(high: 5, low: number), [UInt8(number)])
            }
        }
    }

    /// The contents of the requests that wait, in their order.
    private func requests(_ store: DeviceStore) throws -> [[UInt8]?] {
        var contents: [[UInt8]?] = []
        while let request = try store.read({ try $0.request(after: .min) }) {
            contents.append(request.content)
            try store.write { try $0.removeRequest(request) }
        }
        return contents
    }

    @Test("requests that wait come to the new file too, in their order and once, behind those that wait there")
    func requestsComeOnce() throws {
        let old = try fill()
        try keep(1...3, in: old)
        let aside = try quarantine(old)
        let store = try directory.open()
        try store.write { transaction in
            try transaction.keepRequest(UUIDValue(high: 5, low: 9), [9])
            // Made anew since.
            try transaction.keepRequest(UUIDValue(high: 5, low: 2), [22])
        }
        #expect(try rescue(into: store, from: aside) == .init(rescued: 3, rescuedRequests: 2))
        #expect(try rescue(into: store, from: aside) == .init())
        #expect(try requests(store) == [[9], [22], [1], [3]])
    }

    @Test("a damaged request is counted, and another key reads none")
    func damagedRequestIsCounted() throws {
        let old = try directory.open()
        try keep(1...3, in: old)
        try old.execute("UPDATE requests SET sealed = zeroblob(50) WHERE position = 2")
        let aside = try quarantine(old)
        let store = try directory.open()
        let wrong = try store.rescue(from: aside, device: phone, storageKey: storageKey(1))
        #expect(wrong == .init(unreadableRequests: 3))
        #expect(try rescue(into: store, from: aside) == .init(rescuedRequests: 2, unreadableRequests: 1))
        #expect(try requests(store) == [[1], [3]])
    }

    @Test("damage to the messages that wait does not take the requests along, nor the other way round")
    func damageIsApart() throws {
        for (number, table) in ["queue", "requests"].enumerated() {
            let old = try fill()
            try keep(1...3, in: old)
            let root = try old.number("SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'")
            try old.close()
            var bytes = try directory.bytes()
            bytes[(root - 1) * 4096] = 0xFF
            try directory.write(bytes)
            let aside = try DeviceStore.quarantine(path: directory.database)
            let store = try directory.open()
            #expect(
                try rescue(into: store, from: aside)
                    == .init(rescued: number * 3, rescuedRequests: 3 - number * 3, isWhole: false))
            _ = try quarantine(store)
        }
    }

    @Test("a file of a version that kept no requests is whole without them")
    func earlierVersion() throws {
        let old = try directory.open(migrations: Migrations([.m001, .m002, .m003]))
        try old.write { try $0.enqueue(message(1), in: conversation(1), content: [1]) }
        let aside = try quarantine(old)
        #expect(try rescue(into: directory.open(), from: aside) == .init(rescued: 1))
    }
}

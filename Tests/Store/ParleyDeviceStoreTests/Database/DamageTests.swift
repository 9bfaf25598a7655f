import ParleyProtocol
import TestNames
import TestSupport
import Testing

@testable import ParleyDeviceStore

@Suite("A damaged file")
struct DamageTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func fill() throws {
        let store = try directory.open()
        try store.write { transaction in
            try transaction.insert((1...60).map { stored("text \($0)", seq: $0, expiresAt: at(Int64($0))) })
            for number in 1...6 as ClosedRange<UInt64> {
                try transaction.save(
                    ConversationState(
                        id: conversation(number), kept: KeptStretch(epoch: "k3Jx9w", seqs: 1...9), object: [1, 2, 3]))
                try transaction.enqueue(message(100 + number), in: conversation(number), content: [UInt8(number)])
                try transaction.keepRequest(UUIDValue(high: 5, low: number), [UInt8(number)])
            }
        }
        try store.close()
    }

    /// Everything that can be asked for; what comes of it is either right or named.
    private func useEverything(_ store: DeviceStore) throws -> [String] {
        let texts = try store.texts().compactMap { $0 }
        _ = try store.read { snapshot in
            try snapshot.conversations().count + snapshot.queued().count + snapshot.requestCount()
        }
        _ = try store.search(SearchQuery("text")).count
        try store.write { transaction in
            try transaction.insert(stored("more", seq: 500))
            try transaction.removeExpired(at: at(3))
            try transaction.enqueue(message(300), in: conversation(1), content: [1])
            if let request = try transaction.facts.request(after: .min) { try transaction.removeRequest(request) }
            try transaction.keepRequest(UUIDValue(high: 5, low: 300), [1])
            _ = try transaction.finish(stored("sent", seq: 501, id: message(300)))
        }
        try store.check()
        return texts
    }

    /// Changes the file, opens and uses it. Returns whether that went without an error.
    private func survives(_ bytes: [UInt8], _ what: @autoclosure () -> String) throws -> Bool {
        try directory.write(bytes)
        do {
            let texts = try useEverything(directory.open())
            #expect(texts.allSatisfy { $0.hasPrefix("text ") }, "\(what())")
            return true
        } catch let error as DeviceStoreError {
            switch error {
            case .damaged, .wrongKey, .tooNew: break
            case .sqlite(_, let message): #expect(!message.contains("text "), "\(what()): \(error)")
            case .inUse, .tooOld, .notDurable: Issue.record("\(what()): \(error)")
            }
            return false
        }
    }

    @Test("flipped bits give a named error or a row that shows as damaged, and never a wrong text", .seeded)
    func flippedBits() throws {
        try fill()
        let whole = try directory.bytes()
        var random = Seeded(stream: 440)
        var failed = 0
        for round in 0..<150 {
            let count = Int.random(in: 1...3, using: &random)
            var bytes = whole
            var flipped: [Int] = []
            for _ in 0..<count {
                // Half of them where SQLite keeps its own: the header, and the beginning of a page.
                let page = Int.random(in: 0..<(whole.count / 4096), using: &random) * 4096
                let offset =
                    round % 2 == 0
                    ? page + Int.random(in: 0..<120, using: &random)
                    : Int.random(
                        in: 0..<whole.count, using: &random)
                bytes[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                flipped.append(offset)
            }
            if try !survives(bytes, "bytes \(flipped)") { failed += 1 }
        }
        #expect(failed > 0 && failed < 150)
    }

    @Test("a file that was cut short gives a named error")
    func shortenedFile() throws {
        try fill()
        let whole = try directory.bytes()
        for count in [1, 99, 100, 512, 4096, 5000, whole.count / 2, whole.count - 1] {
            _ = try survives(Array(whole.prefix(count)), "cut to \(count)")
        }
        #expect(try survives(whole, "whole"))
    }

    @Test(
        "every column of another type, or of none, is an error or a damaged row",
        arguments: ["messages", "queue", "requests", "conversations", "key_check"])
    func columns(_ table: String) throws {
        try fill()
        try directory.loosen(table)
        let loose = try directory.bytes()
        for column in try columns(of: table) {
            for value in ["NULL", "1.5", "'text'", "-9223372036854775808", "9223372036854775807"] {
                try directory.write(loose)
                let store = try directory.open()
                try store.execute("UPDATE OR IGNORE \(table) SET \(column) = \(value)")
                try store.close()
                do {
                    _ = try useEverything(directory.open())
                } catch let error as DeviceStoreError {
                    switch error {
                    case .damaged, .wrongKey, .sqlite: break
                    case .inUse, .tooNew, .tooOld, .notDurable: Issue.record("\(table).\(column) = \(value): \(error)")
                    }
                }
            }
        }
    }

    private func columns(of table: String) throws -> [String] {
        try DeviceStore.inMemory(device: phone).read { snapshot in
            try snapshot.database.map("SELECT name FROM pragma_table_info('\(table)')") { try $0.text(0) }
        }
    }
}

extension TemporaryDirectory {
    /// Takes every rule off a table, as a change of the file's bytes would pass them by.
    fileprivate func loosen(_ table: String) throws {
        let store = try open()
        defer { try? store.close() }
        try store.execute(
            "CREATE TABLE loose AS SELECT * FROM \(table)", "DROP TABLE \(table)",
            "ALTER TABLE loose RENAME TO \(table)")
        if table == "messages" {
            try store.execute(
                "CREATE UNIQUE INDEX places ON messages (conversation, epoch, seq)",
                "CREATE UNIQUE INDEX ids ON messages (conversation, id)")
        }
    }
}

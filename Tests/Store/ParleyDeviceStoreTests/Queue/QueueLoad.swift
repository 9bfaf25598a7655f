import Foundation
import Glibc
import ParleyProtocol
import TestNames
import TestSupport

@testable import ParleyDeviceStore

/// Works on a queue without end, and writes down beside it what it is about to do and what it has done, so that whoever
/// finds it killed knows what must be there.
///
/// The notes survive the process: `write` has handed them to the system.
struct QueueLoad {
    /// How a message is taken from the queue to the log.
    enum Finishing: String, Codable, Sendable {
        case atOnce
        /// A planted fault: in two transactions.
        case inTwoSteps
    }

    enum Note: Equatable {
        case willAppend(UInt64)
        case appended(UInt64)
        case willFinish(UInt64)
        case finished(UInt64)
    }

    static let target = conversation(1)

    let directory: String
    let finishing: Finishing

    private var notesPath: String { directory + "/notes" }

    /// Ends only by being killed.
    ///
    /// - Parameters:
    ///   - seed: decides what is finished, and when.
    ///   - opened: called when the file is open, and work begins.
    func run(seed: UInt64, opened: () -> Void) throws {
        var random = Seeded(seed: seed)
        let notes = unsafe open(notesPath, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        let store = try DeviceStore.open(
            path: directory + "/messages.db", device: phone, storageKey: storageKey(), searchable: searchable)
        var number = try store.number("SELECT coalesce(max(seq), 0) FROM messages")
        for queued in try store.read({ try $0.queued() }) { number = max(number, Int(queued.id.value.low)) }
        opened()
        while true {
            number += 1
            try append(UInt64(number), store, notes)
            if random.chance(0.5), let queued = try store.read({ try $0.queued() }).first {
                try store.write { try $0.setRequest([4, 5, 6], of: queued.id) }
                try finish(queued.id.value.low, store, notes)
            }
        }
    }

    private func append(_ number: UInt64, _ store: DeviceStore, _ notes: Int32) throws {
        note("a\(number)", notes)
        try store.write { try $0.enqueue(message(number), in: Self.target, content: [1, 2, 3]) }
        note("A\(number)", notes)
    }

    private func finish(_ number: UInt64, _ store: DeviceStore, _ notes: Int32) throws {
        note("f\(number)", notes)
        let sent = stored("sent", seq: Int(number), in: Self.target)
        switch finishing {
        case .atOnce: try store.write { try $0.finish(sent) }
        case .inTwoSteps:
            try store.write { try $0.discard(message(number)) }
            try store.write { try $0.insert(sent) }
        }
        note("F\(number)", notes)
    }

    private func note(_ line: String, _ notes: Int32) {
        let bytes = Array((line + "\n").utf8)
        _ = unsafe write(notes, bytes, bytes.count)
    }

    /// What was noted so far.
    func notes() throws -> [Note] {
        guard FileManager.default.fileExists(atPath: notesPath) else { return [] }
        let text = try String(contentsOfFile: notesPath, encoding: .utf8)
        return text.split(separator: "\n").compactMap { line in
            guard let number = UInt64(line.dropFirst()) else { return nil }
            return switch line.first {
            case "a": .willAppend(number)
            case "A": .appended(number)
            case "f": .willFinish(number)
            case "F": .finished(number)
            default: nil
            }
        }
    }

    /// How many messages are known to be finished.
    var finished: Int {
        get throws {
            try notes().count { if case .finished = $0 { true } else { false } }
        }
    }

    /// What must be there and is not, or is and must not be; what was under way may have been done or not.
    func faults(in store: DeviceStore) throws -> [String] {
        var waiting: Set<UInt64> = []
        var sent: Set<UInt64> = []
        var unsure: Set<UInt64> = []
        for note in try notes() {
            switch note {
            case .willAppend(let number), .willFinish(let number): unsure.insert(number)
            case .appended(let number):
                waiting.insert(number)
                unsure.remove(number)
            case .finished(let number):
                waiting.remove(number)
                sent.insert(number)
                unsure.remove(number)
            }
        }
        let queued = try store.read { try $0.queued() }.map(\.id.value.low)
        let kept = try store.read { try $0.messages(in: Self.target, epoch: "k3Jx9w", before: .max, limit: .max) }
            .map { UInt64($0.position.seq) }
        var faults: [String] = []
        for number in waiting.subtracting(unsure) where !queued.contains(number) { faults.append("\(number) is lost") }
        for number in sent where !kept.contains(number) { faults.append("\(number) was sent and is not kept") }
        for number in queued where kept.contains(number) { faults.append("\(number) is in the queue and in the log") }
        for number in waiting.intersection(unsure) where !queued.contains(number) && !kept.contains(number) {
            faults.append("\(number) is neither in the queue nor in the log")
        }
        if queued != queued.sorted() { faults.append("the queue is out of order") }
        return faults
    }
}

import ParleyProtocol
import TestNames
import TestSupport
import Testing

@testable import ParleyDeviceStore

/// What the queue should hold, in a plain array.
private struct QueueModel {
    struct Entry: Hashable {
        let id: UInt64
        let conversation: UInt64
        var hasFailed = false
    }

    var entries: [Entry] = []

    mutating func setFailed(_ hasFailed: Bool, _ id: UInt64) {
        for index in entries.indices where entries[index].id == id { entries[index].hasFailed = hasFailed }
    }
}

extension QueueModel.Entry {
    init(_ queued: QueuedMessage) {
        self.init(
            id: queued.id.value.low, conversation: queued.conversation.value.low, hasFailed: queued.state != .pending)
    }
}

@Suite("The order of the queue over random histories")
struct QueueOrderTests {
    @Test("whatever is done to the queue, its order is the model's", .seeded, arguments: 0..<8)
    func orderIsTheModels(run: Int) throws {
        var random = Seeded(stream: UInt64(410 + run))
        let directory = try TemporaryDirectory()
        var store = try directory.open()
        var model = QueueModel()
        var number: UInt64 = 0
        for step in 0..<120 {
            let some = model.entries.randomElement(using: &random)?.id ?? 999
            switch Int.random(in: 0..<9, using: &random) {
            case 0...3:
                number += 1
                let target = UInt64.random(in: 1...4, using: &random)
                try store.write { try $0.enqueue(message(number), in: conversation(target), content: [1]) }
                model.entries.append(.init(id: number, conversation: target))
            case 4:
                try store.write { try $0.fail(message(some), reason: "poison") }
                model.setFailed(true, some)
            case 5:
                try store.write { try $0.retry(message(some)) }
                model.setFailed(false, some)
            case 6:
                try store.write { try $0.discard(message(some)) }
                model.entries.removeAll { $0.id == some }
            case 7:
                guard let next = model.entries.first(where: { !$0.hasFailed })?.id else { break }
                try store.write { try $0.finish(stored("sent", seq: Int(next), id: message(next))) }
                model.entries.removeAll { $0.id == next }
            default:
                try store.close()
                store = try directory.open()
            }
            try expect(store, model, "step \(step)")
        }
    }

    private func expect(_ store: DeviceStore, _ model: QueueModel, _ position: Comment) throws {
        #expect(try store.read { try $0.queued() }.map(QueueModel.Entry.init) == model.entries, position)
        for number in 1...4 as ClosedRange<UInt64> {
            let queued = try store.read { try $0.queued(in: conversation(number)) }.map(QueueModel.Entry.init)
            #expect(queued == model.entries.filter { $0.conversation == number }, position)
        }
    }
}

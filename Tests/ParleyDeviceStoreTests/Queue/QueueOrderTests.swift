import ParleyProtocol
import TestSupport
import Testing

@testable import ParleyDeviceStore

/// What the queue should do, in plain arrays.
private struct QueueModel {
    struct Entry {
        let id: UInt64
        let conversation: UInt64
        var notBefore: Int64 = 0
        var isSetAside = false
    }

    var entries: [Entry] = []

    func next(at now: Int64) -> UInt64? {
        var seen: Set<UInt64> = []
        let heads = entries.filter { !$0.isSetAside && seen.insert($0.conversation).inserted }
        return heads.first { $0.notBefore <= now }?.id
    }

    func wait(at now: Int64) -> Int64? {
        var seen: Set<UInt64> = []
        return entries.filter { !$0.isSetAside && seen.insert($0.conversation).inserted }.map(\.notBefore).min()
    }

    mutating func change(_ id: UInt64, _ body: (inout Entry) -> Void) {
        for index in entries.indices where entries[index].id == id { body(&entries[index]) }
    }
}

struct QueueOrderTests {
    @Test(arguments: 0..<8)
    func `whatever is done to the queue, its order is the model's`(run: Int) throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = Seeded(seed: seed)
        let directory = try TemporaryDirectory()
        var store = try directory.open()
        var model = QueueModel()
        var number: UInt64 = 0
        var now: Int64 = 0
        for step in 0..<120 {
            now += .random(in: 0...3, using: &random)
            let some = model.entries.randomElement(using: &random)?.id ?? 999
            switch Int.random(in: 0..<11, using: &random) {
            case 0...3:
                number += 1
                let target = UInt64.random(in: 1...4, using: &random)
                try store.write { try $0.enqueue(message(number), in: conversation(target), content: [1]) }
                model.entries.append(.init(id: number, conversation: target))
            case 4:
                let later = now + .random(in: 0...8, using: &random)
                try store.write { try $0.noteAttempt(message(some), notBefore: at(later)) }
                model.change(some) { $0.notBefore = later }
            case 5:
                try store.write { try $0.setAside(message(some), reason: "poison") }
                model.change(some) { $0.isSetAside = true }
            case 6:
                try store.write { try $0.retry(message(some)) }
                model.change(some) { ($0.isSetAside, $0.notBefore) = (false, 0) }
            case 7:
                try store.write { try $0.discard(message(some)) }
                model.entries.removeAll { $0.id == some }
            case 8:
                guard let next = model.next(at: now) else { break }
                try store.write { try $0.finish(stored("sent", seq: Int(next), id: message(next))) }
                model.entries.removeAll { $0.id == next }
            case 9:
                try store.write { try $0.forgetWaits() }
                for entry in model.entries { model.change(entry.id) { $0.notBefore = 0 } }
            default:
                try store.close()
                store = try directory.open()
            }
            try expect(store, model, at: now, "seed \(seed), step \(step)")
        }
    }

    private func expect(_ store: DeviceStore, _ model: QueueModel, at now: Int64, _ place: Comment) throws {
        #expect(try store.read { try $0.queued() }.map(\.id.value.low) == model.entries.map(\.id), place)
        switch try store.read({ try $0.nextStep(at: at(now)) }) {
        case .send(let queued, _): #expect(queued.id.value.low == model.next(at: now), place)
        case .damaged: Issue.record(place)
        case .wait(let until):
            #expect(model.next(at: now) == nil, place)
            #expect(model.wait(at: now).map(at) == until, place)
        case .done: #expect(model.wait(at: now) == nil, place)
        }
    }
}

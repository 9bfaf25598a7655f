import TestSupport
import Testing

@testable import ParleyClient

/// The count against a model that knows the whole log.
@Suite("What is unread", .seeded)
struct UnreadTests {
    /// A log: which seqs count as unread, whatever was read.
    private struct Model {
        var counting: Set<Int> = []
        var last = 0

        func unread(after seq: Int) -> Int { counting.count { $0 > seq } }
    }

    @Test("what is kept from the mark on is counted, and nothing twice")
    func kept() {
        var unread = Unread()
        unread.setCount(2, readSeq: 3, lastSeq: 6)
        #expect(unread.count == 2)
        // Of 4, 5 and 6 two count; 7 counts, too.
        let counting: Set = [5, 6, 7]
        unread.recount(held: 1..<8, holdsStart: true) { seq in counting.count { $0 > seq } }
        #expect(unread.count == 3)
        unread.recount(held: 1..<8, holdsStart: true) { seq in counting.count { $0 > seq } }
        #expect(unread.count == 3)
        let went = unread.markRead(upTo: 6, passed: 2)
        #expect(went)
        unread.recount(held: 1..<8, holdsStart: true) { seq in counting.count { $0 > seq } }
        #expect(unread.count == 1)
        let wentBack = unread.markRead(upTo: 5, passed: 0)
        #expect(!wentBack && unread.readSeq == 6)
        // What does not know of that reading says nothing new.
        unread.setCount(9, readSeq: 4, lastSeq: 7)
        #expect(unread.count == 1)
    }

    @Test("what lies before what is kept counts, until it is kept itself or read")
    func before() {
        var unread = Unread()
        unread.setCount(10, readSeq: 0, lastSeq: 100)
        let counting = Set(91...100)
        func after(_ seq: Int, from lowest: Int) -> Int { counting.count { $0 > seq && $0 >= lowest } }
        unread.recount(held: 96..<101, holdsStart: false) { after($0, from: 96) }
        #expect((unread.kept, unread.before, unread.count) == (5, 5, 10))
        unread.prepend(2)
        unread.recount(held: 94..<101, holdsStart: false) { after($0, from: 94) }
        #expect(unread.count == 10)
        _ = unread.markRead(upTo: 97, passed: 4)
        unread.recount(held: 94..<101, holdsStart: false) { after($0, from: 94) }
        #expect(unread.count == 3)
    }

    @Test("of a thousand or more it stays a thousand, until the gateway counts again or all of them are kept")
    func more() {
        var unread = Unread()
        unread.setCount(1000, readSeq: 0, lastSeq: 5000)
        #expect(unread.count == 1000)
        // 4990 and all after it count.
        func after(_ seq: Int, from lowest: Int) -> Int { max(0, 5002 - max(seq + 1, lowest)) }
        unread.recount(held: 4990..<5002, holdsStart: false) { after($0, from: 4990) }
        #expect(unread.kept == 12 && unread.count == 1000)
        unread.prepend(1990)
        unread.recount(held: 3000..<5002, holdsStart: false) { after($0, from: 3000) }
        #expect(unread.count == 1000)
        // Another device has read what is not kept here.
        _ = unread.markRead(upTo: 2000, passed: 0)
        unread.recount(held: 3000..<5002, holdsStart: false) { after($0, from: 3000) }
        #expect(unread.count == 1000)
        _ = unread.markRead(upTo: 4989, passed: 1990)
        unread.recount(held: 3000..<5002, holdsStart: false) { after($0, from: 3000) }
        #expect(unread.count == 12)
        unread.setCount(1000, readSeq: 4989, lastSeq: 9000)
        _ = unread.markRead(upTo: 4992, passed: 3)
        #expect(unread.count == 1000)
    }

    @Test("it is the gateway's count after any order of messages, deletions, readings, counts and restarts")
    func random() {
        var generator = Seeded(stream: 210)
        for _ in 0..<400 {
            var (model, read, unread) = (Model(), 0, Unread())
            let start = Int.random(in: 1...20, using: &generator)
            for seq in 1..<start where generator.chance(0.5) { model.counting.insert(seq) }
            model.last = start - 1
            var held = start..<start
            unread.setCount(model.unread(after: 0), readSeq: 0, lastSeq: model.last)
            for _ in 0..<60 {
                switch Int.random(in: 0..<6, using: &generator) {
                case 0, 1:
                    // A record comes to the log, and here.
                    model.last += 1
                    if generator.chance(0.6) { model.counting.insert(model.last) }
                    held = held.lowerBound..<(model.last + 1)
                case 2:
                    // One that is kept is deleted, or its time is over.
                    if let gone = model.counting.filter({ held.contains($0) }).randomElement(using: &generator) {
                        model.counting.remove(gone)
                    }
                case 3 where !held.isEmpty:
                    let seq = Int.random(in: held, using: &generator)
                    let passed = model.counting.count { held.contains($0) && $0 > read && $0 <= seq }
                    if unread.markRead(upTo: seq, passed: passed) { read = seq }
                case 4:
                    unread.setCount(model.unread(after: read), readSeq: read, lastSeq: model.last)
                default:
                    let lower = Int.random(in: 1...held.lowerBound, using: &generator)
                    unread.prepend(model.counting.count { $0 >= lower && $0 < held.lowerBound && $0 > read })
                    held = lower..<held.upperBound
                }
                unread.recount(held: held, holdsStart: held.lowerBound == 1) { seq in
                    model.counting.count { held.contains($0) && $0 > seq }
                }
                #expect(unread.count == model.unread(after: read))
            }
        }
    }
}

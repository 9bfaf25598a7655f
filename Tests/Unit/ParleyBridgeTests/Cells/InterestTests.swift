import ParleyProtocol
import TestNames
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// Which events of other cells a cell reads for its devices.
@Suite("Interest in other cells' events")
struct InterestTests {
    private let test: TestWriter
    private let conversation: ConversationID
    private let people = ConnectedPeople()
    private let begin = ContinuousClock.now

    init() throws {
        test = try TestWriter()
        conversation = try test.conversation(["alice", "bob"])
        people.replace(with: ["carol"], unknownSince: at(0))
    }

    /// The entries of so many new records.
    private func say(_ count: Int = 1) throws -> [StreamEntry] {
        let last = try test.store.read { try $0.outbox.lastPosition() }
        test.carryOut(try (0..<count).map { _ in try ParleyBridgeTests.send(conversation) })
        return try test.store.read { snapshot in
            try snapshot.outbox.entries(after: last, in: .only, limit: 10_000).filter { entry in
                if case .conversation = entry.audience { true } else { false }
            }
        }
    }

    private func begin(
        _ interest: inout Interest, after time: Duration = .zero, read: StreamPosition = .start
    ) throws -> [StreamPosition] {
        try test.store.read { try interest.begin(at: begin + time, read: StreamVector([read]), in: $0) }
    }

    private func positions(
        _ interest: inout Interest, _ entries: [StreamEntry], after time: Duration = .zero
    ) throws -> [StreamPosition] {
        try test.store.read { try interest.positions(of: entries, at: begin + time, in: $0) }
    }

    @Test("who is reported a moment late hears what was passed over, before what comes then, and once")
    func late() throws {
        var interest = Interest(people: people)
        #expect(try begin(&interest) == [])
        let (first, second, third) = (try say(2), try say(), try say())
        #expect(try positions(&interest, first) == [])
        people.arrive("bob")
        // The round had begun: the second would be heard before the first.
        #expect(try positions(&interest, second) == [])
        #expect(try begin(&interest, after: .milliseconds(100)) == (first + second).map(\.position))
        #expect(try positions(&interest, third, after: .milliseconds(100)) == third.map(\.position))
        people.arrive("alice")
        #expect(try begin(&interest, after: .milliseconds(200)) == [])
    }

    @Test("while it is not known who is connected everything is read, to the end of the round")
    func unknown() throws {
        let people = ConnectedPeople()
        var interest = Interest(people: people)
        #expect(try begin(&interest) == [])
        people.replace(with: ["bob"], unknownSince: at(0))
        let (first, second) = (try say(), try say())
        #expect(try positions(&interest, first) == first.map(\.position))
        #expect(try begin(&interest, after: .milliseconds(100)) == [])
        #expect(try positions(&interest, second, after: .milliseconds(100)) == second.map(\.position))
    }

    @Test("it is looked at again for those who may hear it alone, and when somebody has come for the first time alone")
    func others() throws {
        var interest = Interest(people: people)
        #expect(try begin(&interest) == [])
        #expect(try positions(&interest, try say()) == [])
        people.arrive("carol")
        #expect(try begin(&interest, after: .milliseconds(100)) == [])
        people.arrive("somebody")
        #expect(try begin(&interest, after: .milliseconds(200)) == [])
        people.arrive("bob")
        #expect(try begin(&interest, after: .milliseconds(300)).count == 1)
    }

    @Test("what is too old, or too far back in its stream, is not looked at again")
    func bounds() throws {
        var old = Interest(people: people)
        #expect(try begin(&old) == [])
        let entries = try say(3)
        #expect(try positions(&old, entries) == [])
        var far = old
        #expect(old.firsts == [0: entries[0].position])
        #expect(try begin(&old, after: tooLong) == [])
        #expect(old.firsts == [:])
        people.arrive("bob")
        #expect(try begin(&old, after: tooLong + .milliseconds(100)) == [])
        let end = StreamPosition(number: entries[1].position.number + PassedOver.most)
        #expect(try begin(&far, after: .milliseconds(100), read: end) == entries.map(\.position))
        #expect(far.firsts == [0: entries[2].position])
    }

    private let tooLong = PassedOver.longest + .milliseconds(1)

    @Test("who was reported before a round that comes late hears what was passed over")
    func stalled() throws {
        var interest = Interest(people: people)
        #expect(try begin(&interest) == [])
        let entries = try say()
        people.arrive("bob")
        #expect(try positions(&interest, entries) == [])
        // The database stood still meanwhile.
        #expect(try begin(&interest, after: tooLong) == entries.map(\.position))
        #expect(interest.firsts == [:])
    }

    @Test("nothing grows too old while reports wait to be read")
    func unread() throws {
        var interest = Interest(people: people)
        #expect(try begin(&interest) == [])
        let entries = try say()
        #expect(try positions(&interest, entries) == [])
        people.recordReading(at: begin)
        people.recordReading(at: begin + tooLong)
        #expect(try begin(&interest, after: tooLong) == [])
        people.arrive("bob")
        people.recordWaiting()
        #expect(try begin(&interest, after: tooLong + .milliseconds(100)) == entries.map(\.position))
        #expect(try begin(&interest, after: tooLong + .milliseconds(200)) == [])
        #expect(interest.firsts == [:])
    }

    @Test("the most are kept")
    func most() {
        var passedOver = PassedOver()
        for number in 1...PassedOver.most + 7 {
            passedOver.add(
                StreamEntry(position: StreamPosition(number: number), audience: .topic([], isRetained: false)),
                at: begin)
        }
        passedOver.forget(at: begin, read: StreamVector())
        #expect(passedOver.unheard.count == PassedOver.most)
        #expect(passedOver.firsts == [0: StreamPosition(number: 8)])
    }
}

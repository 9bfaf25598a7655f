import MQTTClient
import ParleyProtocol
import ParleyStore
import TestSupport
import Testing

@testable import ParleyBridge

@Suite("Publishes that wait for their acknowledgement")
struct PublicationsTests {
    private func outgoing(_ positions: [Int?]) -> Outgoing {
        var outgoing = Outgoing()
        for position in positions {
            outgoing.raw(topic: [1], payload: [2], position: position.map { StreamPosition(number: $0) })
        }
        return outgoing
    }

    private func packet(_ number: Int) -> PacketIdentifier { PacketIdentifier(rawValue: UInt16(number)) }

    @Test("the mark follows the oldest that is not acknowledged")
    func markFollowsTheOldest() {
        var publications = Publications(publishedThrough: 10)
        publications.add(outgoing([11, nil, 12, 13]), isCounted: true)
        for number in 1...4 { publications.recordSent(packet(number)) }
        let steps = [(3, 10, 0), (1, 11, 1), (4, 11, 0), (2, 13, 3)]
        for (acknowledged, mark, finished) in steps {
            #expect(publications.recordAcknowledgement(of: packet(acknowledged)) == true)
            #expect(publications.publishedThrough.number == mark)
            let taken = publications.drainFinished()
            #expect(taken.items == finished)
        }
        #expect(publications.isEmpty)
    }

    @Test("an acknowledgement of something else, or a second one, is not ours")
    func foreignAcknowledgement() {
        var publications = Publications(publishedThrough: 0)
        publications.add(outgoing([1, 2]), isCounted: true)
        publications.recordSent(packet(1))
        publications.recordSent(packet(2))
        #expect(publications.recordAcknowledgement(of: packet(9)) == false)
        #expect(publications.recordAcknowledgement(of: packet(2)) == true)
        #expect(publications.recordAcknowledgement(of: packet(2)) == false)
        #expect(publications.publishedThrough == 0)
    }

    @Test("the bytes of a batch count until the last of it is done, and not those that came from the store")
    func bytesCountUntilDone() {
        var publications = Publications(publishedThrough: 0)
        publications.add(outgoing([1, 2, 3]), isCounted: true)
        publications.add(outgoing([4]), isCounted: false)
        for number in 1...4 { publications.recordSent(packet(number)) }
        for (number, finished) in [(1, OutLoad(items: 1)), (2, OutLoad(items: 1)), (3, OutLoad(items: 1, bytes: 6))] {
            #expect(publications.recordAcknowledgement(of: packet(number)) == true)
            #expect(publications.drainFinished() == finished)
        }
        #expect(publications.recordAcknowledgement(of: packet(4)) == true)
        #expect(publications.drainFinished() == OutLoad())
    }

    @Test("what cannot be sent holds nothing up")
    func unsendableHoldsNothingUp() {
        var publications = Publications(publishedThrough: 0)
        publications.add(outgoing([1, 2]), isCounted: true)
        publications.dropNext()
        #expect(publications.publishedThrough == 1)
        #expect(publications.drainFinished() == OutLoad(items: 1))
        #expect(publications.next?.item.position == 2)
    }

    @Test("a lost connection's leftovers go first on the next, and what was done is counted")
    func leftoversGoFirst() {
        var publications = Publications(publishedThrough: 0)
        publications.add(outgoing([1, 2, nil, 3]), isCounted: true)
        publications.recordSent(packet(1))
        publications.recordSent(packet(2))
        publications.dropNext()
        #expect(publications.recordAcknowledgement(of: packet(2)) == true)
        publications.requeueUnacknowledged()
        let finished = publications.drainFinished()
        #expect(finished.items == 2)
        #expect(publications.next?.item.position == 1)
        publications.recordSent(packet(1))
        #expect(publications.next?.item.position == 3)
        #expect(publications.recordAcknowledgement(of: packet(1)) == true)
        #expect(publications.publishedThrough == 2)
    }

    /// A broker that takes what it is sent, and acknowledges in an order of its own, or is lost.
    private struct Simulation {
        var publications = Publications(publishedThrough: 0)
        var generator: Seeded
        private var unacknowledged: [(packet: PacketIdentifier, position: Int?)] = []
        /// Positions that the broker has acknowledged, or that needed none.
        private var done: Set<Int> = []
        private var sentEver: Set<Int> = []
        private var lastSent = 0
        private var nextPacket: UInt16 = 0
        private(set) var given = 0
        private var counted = OutLoad()
        private var finished = OutLoad()

        init(stream: Int) { generator = Seeded(stream: UInt64(stream)) }

        mutating func step() {
            switch generator.number(0...9) {
            case 0, 1: add()
            case 2...5: send()
            case 6...8: acknowledge()
            default: lose()
            }
            check()
        }

        mutating func finish() {
            while !publications.isEmpty {
                send()
                acknowledge()
                check()
            }
            #expect(publications.publishedThrough.number == given)
            #expect(sentEver == Set(given == 0 ? [] : Array(1...given)))
            #expect(finished == counted)
        }

        private mutating func add() {
            var outgoing = Outgoing()
            let isCounted = generator.chance(0.7)
            for _ in 0..<generator.number(1...5) {
                let isReply = generator.chance(0.3)
                if !isReply { given += 1 }
                if isCounted { counted.items += 1 }
                outgoing.raw(topic: [1], payload: [2], position: isReply ? nil : StreamPosition(number: given))
            }
            if isCounted { counted.bytes += outgoing.bytes.count }
            publications.add(outgoing, isCounted: isCounted)
        }

        private mutating func send() {
            guard let entry = publications.next else { return }
            let position = entry.item.position?.number
            if let position {
                // In order on each connection, with no hole but what is done.
                #expect(position > lastSent)
                #expect((lastSent + 1..<position).allSatisfy { done.contains($0) })
                lastSent = position
                sentEver.insert(position)
            }
            if generator.chance(0.1) {
                publications.dropNext()
                if let position { done.insert(position) }
                return
            }
            nextPacket = nextPacket % 50 + 1
            while unacknowledged.contains(where: { $0.packet.rawValue == nextPacket }) { nextPacket += 1 }
            let packet = PacketIdentifier(rawValue: nextPacket)
            publications.recordSent(packet)
            unacknowledged.append((packet, position))
        }

        private mutating func acknowledge() {
            guard !unacknowledged.isEmpty else { return }
            let (packet, position) = unacknowledged.remove(
                at: generator.chance(0.8) ? 0 : generator.number(0...unacknowledged.count - 1))
            if let position { done.insert(position) }
            #expect(publications.recordAcknowledgement(of: packet) == true)
        }

        private mutating func lose() {
            guard generator.chance(0.3) else { return }
            unacknowledged = []
            lastSent = publications.publishedThrough.number
            publications.requeueUnacknowledged()
        }

        private mutating func check() {
            let taken = publications.drainFinished()
            finished.items += taken.items
            finished.bytes += taken.bytes
            let mark = publications.publishedThrough.number
            #expect(mark == 0 || (1...mark).allSatisfy { done.contains($0) })
        }
    }

    @Test(
        "whatever comes in whatever order, the mark passes nothing that is not done, and all is sent in order", .seeded,
        arguments: 0..<40)
    func property(stream: Int) {
        var simulation = Simulation(stream: stream)
        for _ in 0..<300 { simulation.step() }
        simulation.finish()
    }
}

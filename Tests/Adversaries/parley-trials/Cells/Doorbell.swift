import Foundation
import GatewaySite
import MQTTWire
import ParleyProtocol
import Platform
import PostgreSQLServer
import RepeatableRandom

/// Pairs of devices at two cells, neither of which hears the other's notifications: how long a message takes.
struct Doorbell {
    let groups: [Population.Group]
    let ports: [UInt16]
    let count: Int
    let seed: UInt64
    let stop: StopFlag

    /// Nanoseconds; longer than anything takes, on whatever machine.
    private static let patience: Int64 = 60_000_000_000
    /// Between two messages of one pair, in nanoseconds.
    private static let pause: ClosedRange<Int64> = 0...400_000_000

    private final class Pair {
        let devices: [TrialDevice]
        let conversation: ConversationID
        var sent: (id: MessageID, at: Int64, hearer: Int)?
        var nextAt: Int64 = 0

        init(_ group: Population.Group, _ ports: [UInt16]) throws {
            conversation = group.id
            devices = try zip(group.seats, ports).map { try TrialDevice($0, port: $1) }
        }
    }

    /// - Returns: from sending to hearing, in nanoseconds, of each message.
    func measure() throws -> [Int64] {
        var random = SplitMix64(seed: seed)
        let pairs = try groups.map { try Pair($0, ports) }
        let devices = pairs.flatMap(\.devices)
        try pump(devices, "CONNACK") { devices.allSatisfy { $0.connection?.reason == 0 } }
        for pair in pairs {
            for device in pair.devices { try device.subscribe([.conversation(pair.conversation, .messages)]) }
        }
        try pump(devices, "SUBACK") { devices.allSatisfy { $0.subscription(1) != nil } }
        // A gateway may pass over what is published before it knows of a connection.
        let asked = try devices.map { ($0, try $0.ask(ListDevices())) }
        try pump(devices, "a reply") { asked.allSatisfy { $0.reply($1) != nil } }
        var times: [Int64] = []
        try pump(devices, "all messages") {
            let now = MonotonicTime.now
            for pair in pairs {
                if let sent = pair.sent {
                    for event in pair.devices[sent.hearer].takeHeard() where event.isRecord(sent.id) {
                        times.append(event.at - sent.at)
                        pair.sent = nil
                        pair.nextAt = now + .random(in: Doorbell.pause, using: &random)
                    }
                } else if now >= pair.nextAt {
                    let sender = Int.random(in: 0...1, using: &random)
                    let message = SendMessage(
                        id: .random(), conversation: pair.conversation, type: .text, suite: .naclBox,
                        content: [UInt8](repeating: 7, count: 64), nonce: [UInt8](repeating: 9, count: 24))
                    try pair.devices[sender].ask(message)
                    pair.sent = (message.id, now, 1 - sender)
                }
            }
            return times.count >= count
        }
        return times.sorted()
    }

    private func pump(_ devices: [TrialDevice], _ what: String, until isDone: () throws -> Bool) throws {
        // Counted from the last message that came, or a long run would end.
        let deadline = MonotonicTime.now + Doorbell.patience + Int64(count) * 500_000_000
        while try !isDone() {
            if stop.isRaised { throw LoadError.interrupted }
            guard MonotonicTime.now < deadline else { throw LoadError.missing(what) }
            devices.forEach { $0.flush() }
            var entries = devices.map(\.entry)
            guard try Socket.poll(&entries, milliseconds: 5) > 0 else { continue }
            for (device, entry) in zip(devices, entries) where entry.revents != 0 { try device.receive() }
            devices.forEach { $0.flush() }
        }
    }
}

extension HeardEvent {
    fileprivate func isRecord(_ id: MessageID) -> Bool {
        if case .record(id, _) = content { true } else { false }
    }
}

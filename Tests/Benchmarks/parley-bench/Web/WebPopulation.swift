import GatewaySite
import ParleyBridge
import ParleyProtocol
import ParleyRules
import ParleyStore

/// Who comes to the door of a measurement.
struct WebPopulation {
    /// Of each, the first member sends and reads over HTTP, and the second listens on a WebSocket.
    let talking: [Population.Group]
    /// Devices with a WebSocket in whose conversations nobody says anything.
    let quiet: [Population.Seat]

    /// Fills the database of a gateway that does not run.
    ///
    /// - Parameter messages: already in each of the conversations in which somebody talks.
    static func make(
        talking count: Int, sockets: Int, messages: Int, store: Store, tokens: TokenIssuer
    ) throws -> WebPopulation {
        let pairs = count + (max(0, sockets - count) + 1) / 2
        let groups = try Population.make(conversations: pairs, members: 2, store: store, tokens: tokens)
        let talking = Array(groups.prefix(count))
        try store.write { transaction in
            var number = 0
            for group in talking where messages > 0 {
                guard var state = try transaction.facts.conversations.conversation(group.id) else {
                    throw LoadError.missing("conversation")
                }
                for _ in 0..<messages {
                    let id = MessageNumber(sender: 0, run: 0, count: number).id(milliseconds: 0)
                    number += 1
                    try transaction.append(
                        MessageID(id), to: &state, from: group.seats[0].address, at: .systemNow, number: number)
                }
                try transaction.conversations.updateLog(&state)
            }
            if number > 0 { try transaction.outbox.advance(through: StreamPosition(number: number)) }
        }
        let quiet = groups.dropFirst(count).flatMap(\.seats).prefix(max(0, sockets - count))
        return WebPopulation(talking: talking, quiet: Array(quiet))
    }
}

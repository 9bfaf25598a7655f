import GatewaySite
import Platform
import ParleyBridge
import ParleyProtocol
import ParleyRules
import ParleyStore

/// A gateway that has been used for long: many users with a device each, as many conversations of two of them and one
/// user who is in all and reads them, and messages that came to all conversations by turns, so that no two of one
/// conversation lie side by side.
struct FilledStore {
    let conversations: Int
    let messages: Int

    /// The device of the user who is in every conversation.
    private(set) var reader: Population.Seat?
    /// The conversations, by the number of the user who began each.
    private(set) var ids: [ConversationID] = []

    init(conversations: Int, messages: Int) { (self.conversations, self.messages) = (conversations, messages) }

    /// Writes through the gateway's own store, a batch of this many rows at a time.
    private static let batch = 10_000

    mutating func fill(_ store: Store, _ tokens: TokenIssuer, stop: StopFlag) throws {
        let addresses = try (0..<conversations).map { try DeviceAddress(named: "user-\($0)", "phone") }
        try makeUsers(addresses, store, tokens)
        var states = try makeConversations(addresses, store)
        for first in stride(from: 0, to: messages, by: FilledStore.batch) {
            if stop.isRaised { throw LoadError.interrupted }
            let range = first..<min(first + FilledStore.batch, messages)
            try store.write { try FilledStore.append(range, to: &states, from: addresses, $0) }
            if range.upperBound % 100_000 == 0 { report("\(range.upperBound) messages stored") }
        }
        try store.write { transaction in
            for var state in states { try transaction.conversations.updateLog(&state) }
            try transaction.outbox.advance(through: StreamPosition(number: messages))
        }
    }

    private mutating func makeUsers(_ addresses: [DeviceAddress], _ store: Store, _ tokens: TokenIssuer) throws {
        let now = Timestamp.systemNow
        let reader = try DeviceAddress(named: "reader", "phone")
        self.reader = try store.write { transaction in
            for address in addresses + [reader] {
                try transaction.users.insert(
                    address.user, role: .member, displayName: address.user.description, at: now)
                guard address != reader else { continue }
                try transaction.devices.put(
                    address, tokenID: TokenID.random().value, now: now,
                    expiresAt: now.advanced(byMilliseconds: 86_400_000))
            }
            return try Population.Seat(reader, tokens, now: now, transaction)
        }
    }

    private mutating func makeConversations(
        _ addresses: [DeviceAddress], _ store: Store
    ) throws -> [ConversationState] {
        let ids = addresses.map { _ in ConversationID.random() }
        self.ids = ids
        let reader = try DeviceAddress(named: "reader", "phone").user
        return try store.write { transaction in
            try addresses.indices.map { number in
                let members = [addresses[number].user, addresses[(number + 1) % addresses.count].user, reader]
                _ = try transaction.conversations.insert(
                    NewConversation(
                        id: ids[number], type: .group, name: nil, creator: members[0],
                        members: members.map { ($0, .member) }, epoch: "bench", digest: nil), at: .systemNow)
                guard let state = try transaction.facts.conversations.conversation(ids[number]) else {
                    throw Rejection.conversationNotFound
                }
                return state
            }
        }
    }

    private static func append(
        _ range: Range<Int>, to states: inout [ConversationState], from addresses: [DeviceAddress],
        _ transaction: WriteTransaction
    ) throws {
        let now = Timestamp.systemNow
        for message in range {
            let number = message % states.count
            let id = MessageNumber(sender: 0, run: 0, count: message).id(milliseconds: now.milliseconds)
            try transaction.append(
                MessageID(id), to: &states[number], from: addresses[number], at: now, number: message + 1)
        }
    }
}

extension WriteTransaction {
    /// Appends a message of 256 bytes of ciphertext. Nothing looks into it, so that any bytes will do.
    ///
    /// - Parameter number: its place in the outbox.
    func append(
        _ id: MessageID, to state: inout ConversationState, from sender: DeviceAddress, at time: Timestamp, number: Int
    ) throws {
        let filler = UInt8(truncatingIfNeeded: number)
        let record = MessageRecord(
            id: id, conversation: state.facts.id, epoch: state.facts.epoch, seq: state.facts.lastSeq + 1,
            kind: .message, target: nil, sender: sender, type: .text, suite: .x25519AESGCM,
            content: Array(repeating: filler, count: RequestTemplate.ciphertextBytes),
            nonce: Array(repeating: filler, count: 12), recipientKeys: nil, replyTo: nil, expiresAt: nil,
            createdAt: time)
        try records.insert(
            record, conversation: state.key, position: StreamPosition(number: number),
            digest: Array(repeating: filler, count: 16))
        state.facts.append(record)
    }
}

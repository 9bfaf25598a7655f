import ParleyProtocol
import Sodium
import TestNames

@testable import ParleyDeviceStore

let phone = DeviceAddress(user: "alice", device: "phone")
let tablet = DeviceAddress(user: "alice", device: "tablet")

/// The same 32 bytes wherever a test asks, and other ones for another number.
func storageKey(_ number: UInt8 = 0) throws -> SecretBytes {
    let bytes = [UInt8](repeating: 0x40 &+ number, count: 32)
    return try SecretBytes(copying: bytes.span)
}

func conversation(_ number: UInt64) -> ConversationID { ConversationID(UUIDValue(high: 7, low: number)) }

func message(_ number: UInt64) -> MessageID { MessageID(UUIDValue(high: 9, low: number)) }

func stored(
    _ text: String, seq: Int, in conversation: ConversationID = conversation(1), epoch: String = "k3Jx9w",
    id: MessageID? = nil, expiresAt: Timestamp? = nil
) -> StoredMessage {
    StoredMessage(
        position: MessagePosition(
            conversation: conversation, epoch: epoch, seq: seq, id: id ?? message(UInt64(seq))), expiresAt: expiresAt,
        payload: Array("\(seq)|\(text)".utf8))
}

/// The payloads of these tests are `minute|text`; what has no bar cannot be searched for.
let searchable: @Sendable ([UInt8]) -> SearchableText? = { payload in
    let parts = String(decoding: payload, as: UTF8.self).split(separator: "|", maxSplits: 1)
    guard parts.count == 2, let minute = Int64(parts[0]) else { return nil }
    return SearchableText(text: String(parts[1]), sentAt: at(minute * 60_000))
}

extension CachedMessage {
    /// The text of a message as these tests make them.
    var text: String? {
        switch self {
        case .whole(let message): message.text
        case .damaged: nil
        }
    }
}

extension StoredMessage {
    var text: String? { searchable(payload)?.text }
}

extension WriteTransaction {
    func insert(_ messages: [StoredMessage]) throws { for message in messages { try insert(message) } }
}

extension Snapshot {
    func conversation(_ id: ConversationID) throws -> ConversationState? {
        try conversations().first { $0.id == id }
    }
}

extension DeviceStore {
    /// Statements that give no rows, past everything that this library sees to.
    func execute(_ statements: String...) throws {
        try write { transaction in
            for statement in statements { try transaction.database.run(statement) }
        }
    }

    /// One whole number.
    func number(_ query: String) throws -> Int {
        try read { try $0.database.row(query)?.integer(0) ?? -1 }
    }

    func texts(before seq: Int = .max, limit: Int = 100, in conversation: ConversationID = conversation(1)) throws
        -> [String?]
    {
        try read { try $0.messages(in: conversation, epoch: "k3Jx9w", before: seq, limit: limit).map(\.text) }
    }
}

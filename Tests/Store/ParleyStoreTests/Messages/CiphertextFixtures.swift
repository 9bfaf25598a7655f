import TestSupport
import Foundation
import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@testable import ParleyStore

/// A ciphertext of a test's own, which is known wherever a piece of it lies in a file.
struct Marked {
    private static let prefix = Array("ciphertext-".utf8)
    /// As many bytes as one repetition of the mark.
    static let length = prefix.count + 8

    /// So many bytes that hold nothing but the mark of this number, again and again.
    static func content(_ number: Int, count: Int) -> [UInt8] {
        let digits = Array(String(number).utf8)
        let mark = prefix + [UInt8](repeating: UInt8(ascii: "0"), count: 8 - digits.count) + digits
        let repeated = repeatElement(mark, count: count / length + 1).joined()
        return Array(Array(repeated)[..<count])
    }

    /// The numbers whose marks stand in the files of a store, whole or in part.
    static func found(in directory: TemporaryDirectory) throws -> Set<Int> {
        var numbers: Set<Int> = []
        for name in try directory.names where name.hasPrefix("parley.db") {
            let file = Data(try directory.bytes(name))
            var start = file.startIndex
            while let mark = file.range(of: Data(prefix), in: start..<file.endIndex) {
                start = mark.upperBound
                let digits = file[start...].prefix(8)
                if digits.count == 8, let number = Int(String(decoding: digits, as: UTF8.self)) {
                    numbers.insert(number)
                }
            }
        }
        return numbers
    }
}

extension WriteTransaction {
    /// Appends a record whose content, nonce and recipients' keys all bear a mark.
    @discardableResult
    func append(
        to id: ConversationID, mark: Int, count: Int = 200, kind: RecordKind = .message, target: MessageID? = nil,
        expiresAt: Timestamp? = nil
    ) throws -> MessageID {
        var conversation = try facts.existing(id)
        let record = MessageRecord(
            id: .random(), conversation: id, epoch: "epoch", seq: conversation.facts.lastSeq + 1, kind: kind,
            target: target, sender: device("alice", "phone"), type: .text, suite: .naclBox,
            content: kind == .delete ? nil : Marked.content(mark, count: count),
            nonce: kind == .delete ? nil : Marked.content(mark, count: 24),
            recipientKeys: kind == .delete ? nil : Marked.content(mark, count: count / 2), replyTo: nil,
            expiresAt: expiresAt, createdAt: at(1))
        try records.insert(
            record, conversation: conversation.key, position: try nextPosition(), digest: digest(of: record))
        conversation.facts.append(record)
        try conversations.updateLog(&conversation)
        return record.id
    }
}

import ParleyCrypto
import ParleyDeviceStore
import ParleyProtocol

/// A record as it is kept on this device: opened, with its content in place of the ciphertext; or as it came, so that it
/// can be opened later.
struct KeptMessage: Hashable, Sendable {
    /// Without ciphertext if it was opened.
    var record: ReceivedRecord
    /// What was sealed: a JSON object.
    var content: [UInt8]?
    /// Why it is not to be opened, ever: it came before at another place.
    var isReplay = false

    /// Whether it has yet to be opened.
    var isSealed: Bool { content == nil && record.content != nil && !isReplay }

    /// The record, opened to this.
    func opened(_ content: [UInt8]) -> KeptMessage {
        KeptMessage(record: record.withoutCiphertext, content: content, isReplay: isReplay)
    }
}

extension KeptMessage {
    /// As the store keeps it, in the record's own place. A replay is kept under an id of its own, because its own is that
    /// of another message.
    func stored(as id: MessageID? = nil) -> StoredMessage {
        StoredMessage(
            place: MessagePlace(
                conversation: record.conversation, epoch: record.epoch, seq: record.seq, id: id ?? record.id),
            expiresAt: record.expiresAt, payload: payload)
    }

    private var payload: [UInt8] {
        var writer = JSONWriter()
        writer.object { object in
            object.key("record")
            record.write(to: &object)
            if let content { object.member("content", base64: content) }
            if isReplay { object.member("is_replay", true) }
        }
        return writer.finish()
    }

    /// - Returns: `nil` for what this version does not read.
    init?(payload: [UInt8]) {
        guard let object = try? JSONObject(parsing: payload), let record = try? object.object("record"),
            let record = try? ReceivedRecord(reading: record),
            let content = try? object.base64("content", lengths: 0...Limits.packetBytes) as [UInt8]??,
            let isReplay = try? object.bool("is_replay") ?? false
        else { return nil }
        self.init(record: record, content: content, isReplay: isReplay)
    }
}

extension WriteTransaction {
    /// Keeps messages of the log in their places, and takes those of `device` that wait to be sent out of the queue.
    ///
    /// One whose id stands at another place already is made a replay, and kept as such.
    /// - Returns: which have waited.
    func keep(_ messages: inout [KeptMessage], of device: DeviceAddress) throws -> Set<MessageID> {
        var finished: Set<MessageID> = []
        for index in messages.indices {
            let record = messages[index].record
            let insertion: Insertion
            if record.sender == device {
                let outcome = try finish(messages[index].stored())
                insertion = outcome.insertion
                if outcome.wasQueued { finished.insert(record.id) }
            } else {
                insertion = try insert(messages[index].stored())
            }
            if case .idTaken = insertion {
                messages[index] = KeptMessage(record: record, isReplay: true)
                try insert(messages[index].stored(as: .random()))
            }
        }
        return finished
    }
}

extension ReceivedRecord {
    fileprivate var withoutCiphertext: ReceivedRecord {
        ReceivedRecord(
            id: id, conversation: conversation, epoch: epoch, seq: seq, kind: kind, target: target, sender: sender,
            type: type, suite: suite, content: nil, nonce: nil, recipientKeys: nil, replyTo: replyTo,
            expiresAt: expiresAt, createdAt: createdAt, system: system, status: status)
    }
}

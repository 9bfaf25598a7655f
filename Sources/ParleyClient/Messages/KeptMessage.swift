import ParleyCrypto
import ParleyDeviceStore
import ParleyProtocol

/// A stored record: opened, with its content in place of the ciphertext; or sealed, to be opened later.
struct KeptMessage: Hashable, Sendable {
    /// Without ciphertext once it is opened.
    var record: MessageRecord
    /// The opened content: a JSON object.
    var content: [UInt8]?
    /// Whether it came before at another position, so that it is never opened.
    var isReplay = false
    var changes = MessageChanges()
    /// The devices that its sender left out, once it was opened.
    var leftOut: [DeviceAddress] = []
    var chapter = 0
    /// The resending step that it led to; once at most.
    var resending: Resending?
    /// Whether its content equals this device's queued draft. A record of this device alone proves nothing: with the
    /// gateway's help, a recipient could have made it up.
    var isOwnWriting = false
    /// The recipients of a message of its own writing that named them.
    var sealedFor: [UserID] = []

    var isSealed: Bool { content == nil && record.content != nil && !isReplay }

    var shownContent: [UInt8]? { changes.shownContent(over: content) }

    /// Its latest content if this device wrote it.
    var ownContent: [UInt8]? {
        guard isOwnWriting, !changes.isRemoved else { return nil }
        guard let edit = changes.edit, !edit.isResent else { return content }
        return edit.isOwnWriting ? edit.content : nil
    }

    /// Whether it was sealed for a device that could not open it.
    func isUnreadable(on device: DeviceAddress) -> Bool {
        isSealed && shownContent == nil && record.sender != device
            && record.recipientKeys?.value?.contains { $0.address == device && !$0.isLeftOut } ?? true
    }

    func opened(_ content: [UInt8]) -> KeptMessage {
        var opened = self
        opened.leftOut = shownLeftOut
        opened.record = record.withoutCiphertext
        opened.content = content
        return opened
    }

    var shownLeftOut: [DeviceAddress] { leftOut.isEmpty ? record.leftOut : leftOut }

    var chapterPosition: ChapterPosition { ChapterPosition(chapter: chapter, seq: record.seq) }

    /// This message at its position in another epoch; `nil` if the record there is another message. Stored content
    /// stays, whatever the gateway sends. Content that opens only now was sealed under the new record's header.
    func moved(to new: KeptMessage) -> KeptMessage? {
        guard !isReplay, record.sender == new.record.sender, record.kind == new.record.kind,
            record.target == new.record.target
        else { return nil }
        var moved = self
        if isSealed, new.content != nil {
            (moved.record, moved.content, moved.leftOut) = (new.record, new.content, new.leftOut)
        } else {
            moved.record = record.at(epoch: new.record.epoch, seq: new.record.seq)
        }
        moved.chapter = new.chapter
        return moved
    }

    /// Applies a change.
    ///
    /// - Returns: whether anything has changed.
    mutating func apply(_ change: KeptMessage) -> Bool {
        guard !isReplay, changes.apply(change, to: self) else { return false }
        if changes.isRemoved { empty() }
        return true
    }

    mutating func empty() {
        record = record.withoutCiphertext
        content = nil
    }

    /// Whether it counts as unread before it is read: by the rule of the gateway's `unread_count`.
    func counts(for user: UserID) -> Bool {
        record.sender.user != user && record.kind == .known(.message) && record.type != .known(.system)
            && (content != nil || record.content != nil)
    }
}

// MARK: In the store

extension KeptMessage {
    /// The stored form. A replay is stored under an id of its own, because its own is another message's.
    func stored(for user: UserID, as id: MessageID? = nil) -> StoredMessage {
        StoredMessage(
            position: MessagePosition(
                conversation: record.conversation, epoch: record.epoch, seq: record.seq, id: id ?? record.id),
            target: record.isChange ? record.target ?? record.id : nil, expiresAt: record.expiresAt,
            counts: counts(for: user), payload: json, chapter: chapter)
    }

    /// - Returns: `nil` if this version cannot read it.
    init?(payload: [UInt8]) { try? self.init(json: payload) }

    init?(_ cached: CachedMessage?) {
        guard case .whole(let stored)? = cached else { return nil }
        self.init(stored)
    }

    init?(_ stored: StoredMessage) {
        self.init(payload: stored.payload)
        chapter = stored.chapter
    }
}

extension KeptMessage: GatewayObject {
    init<Pass: FieldPass<KeptMessage>>(fields pass: inout Pass) throws(Pass.Failure) {
        record = try pass.required("record", \.record, as: .object())
        content = try pass.optional(
            "content", \.content, as: .base64(0...Limits.packetBytes), without: .omitted)
        isReplay = try pass.mark("is_replay", \.isReplay)
        resending = try pass.optional("resending", \.resending, as: .choice())
        isOwnWriting = try pass.mark("is_own_writing", \.isOwnWriting)
        sealedFor = try pass.users("sealed_for", \.sealedFor)
        leftOut =
            try pass.optional(
                "left_out", { $0.leftOut.isEmpty ? nil : $0.leftOut }, as: .objects(Limits.recipientKeys),
                without: .omitted) ?? []
        changes =
            try pass.optional("changes", { $0.changes.isEmpty ? nil : $0.changes }, as: .object(), without: .omitted)
            ?? MessageChanges()
    }
}

extension MessageRecord {
    /// The same message at its position in another epoch.
    fileprivate func at(epoch: String, seq: Int) -> MessageRecord {
        var moved = self
        (moved.epoch, moved.seq) = (epoch, seq)
        return moved
    }

    /// The devices that are named without a key.
    var leftOut: [DeviceAddress] { recipientKeys?.value?.filter(\.isLeftOut).map(\.address) ?? [] }
}

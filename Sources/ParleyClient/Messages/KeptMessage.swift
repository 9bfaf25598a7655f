import ParleyCrypto
import ParleyDeviceStore
import ParleyProtocol

/// A record as it is kept on this device: opened, with its content in place of the ciphertext; or as it came, so that
/// it can be opened later.
struct KeptMessage: Hashable, Sendable {
    /// Without ciphertext if it was opened.
    var record: MessageRecord
    /// What was sealed: a JSON object.
    var content: [UInt8]?
    /// Why it is not to be opened, ever: it came before at another place.
    var isReplay = false
    /// What has become of it since.
    var changes = MessageChanges()
    /// The devices that its sender has left out, once it was opened.
    var leftOut: [DeviceAddress] = []
    /// What its place in the conversation's order begins with, as the store has it.
    var chapter = 0
    /// What was done because somebody could not open it; once at most.
    var resending: Resending?
    /// Whether this device has written these very words: its queue had them. What the log alone says of its own
    /// messages whoever they were sealed for could have made up, with the gateway's help.
    var isOwnWriting = false
    /// Of a message of its own writing that named its recipients: the users whom it was sealed for.
    var sealedFor: [UserID] = []

    /// Whether it has yet to be opened.
    var isSealed: Bool { content == nil && record.content != nil && !isReplay }

    /// What it says now: its newest text.
    var shownContent: [UInt8]? { changes.shownContent(over: content) }

    /// What this device has written in it, newest text; `nil` where what it says now is of another device, or of nobody
    /// known.
    var ownWords: [UInt8]? {
        guard isOwnWriting, !changes.isRemoved else { return nil }
        guard let edit = changes.edit, !edit.isResent else { return content }
        return edit.isOwnWriting ? edit.content : nil
    }

    /// Whether it was meant for a device of another user's message, and could not be opened there.
    func isUnreadable(on device: DeviceAddress) -> Bool {
        isSealed && shownContent == nil && record.sender != device
            && record.recipientKeys?.value?.contains { $0.address == device && !$0.isLeftOut } ?? true
    }

    /// The record, opened to this.
    func opened(_ content: [UInt8]) -> KeptMessage {
        var opened = self
        opened.leftOut = shownLeftOut
        opened.record = record.withoutCiphertext
        opened.content = content
        return opened
    }

    /// The devices that its sender has left out.
    var shownLeftOut: [DeviceAddress] { leftOut.isEmpty ? record.leftOut : leftOut }

    var chapterPlace: ChapterPlace { ChapterPlace(chapter: chapter, seq: record.seq) }

    /// What is kept of a message, at the place that it has in another epoch; `nil` if that is another message. Nothing
    /// that is kept is given up for what the gateway says now.
    func moved(to new: KeptMessage) -> KeptMessage? {
        guard !isReplay, record.sender == new.record.sender, record.kind == new.record.kind,
            record.target == new.record.target
        else { return nil }
        var moved = self
        moved.record = record.at(epoch: new.record.epoch, seq: new.record.seq)
        if isSealed, let content = new.content { moved = moved.opened(content) }
        moved.chapter = new.chapter
        return moved
    }

    /// Takes up a change.
    ///
    /// - Returns: whether anything has changed.
    mutating func apply(_ change: KeptMessage) -> Bool {
        guard !isReplay, changes.apply(change, to: self) else { return false }
        if changes.isRemoved { empty() }
        return true
    }

    /// Forgets what it said.
    mutating func empty() {
        record = record.withoutCiphertext
        content = nil
    }

    /// Whether it is unread while the user has not read so far: by the rule of the gateway's `unread_count`.
    func counts(for user: UserID) -> Bool {
        record.sender.user != user && record.kind == .known(.message) && record.type != .known(.system)
            && (content != nil || record.content != nil)
    }
}

// MARK: In the store

extension KeptMessage {
    /// As the store keeps it for a device of `user`, in the record's own place. A replay is kept under an id of its
    /// own, because its own is that of another message.
    func stored(for user: UserID, as id: MessageID? = nil) -> StoredMessage {
        StoredMessage(
            place: MessagePlace(
                conversation: record.conversation, epoch: record.epoch, seq: record.seq, id: id ?? record.id),
            target: record.isChange ? record.target ?? record.id : nil, expiresAt: record.expiresAt,
            counts: counts(for: user), payload: json, chapter: chapter)
    }

    /// - Returns: `nil` for what this version does not read.
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
            try pass.optional("left_out", { $0.leftOut.isEmpty ? nil : $0.leftOut }, as: .objects(), without: .omitted)
            ?? []
        changes =
            try pass.optional("changes", { $0.changes.isEmpty ? nil : $0.changes }, as: .object(), without: .omitted)
            ?? MessageChanges()
    }
}

extension MessageRecord {
    /// The same message at its place in another epoch.
    fileprivate func at(epoch: String, seq: Int) -> MessageRecord {
        var moved = self
        (moved.epoch, moved.seq) = (epoch, seq)
        return moved
    }

    /// The devices that are named without anything sealed for them.
    var leftOut: [DeviceAddress] { recipientKeys?.value?.filter(\.isLeftOut).map(\.address) ?? [] }
}

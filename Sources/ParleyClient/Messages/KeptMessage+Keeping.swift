import ParleyDeviceStore
import ParleyProtocol

struct Keeping {
    /// The records of this device that were in the send queue.
    var finished: Set<MessageID> = []
    /// The changed messages, by the change.
    var changed: [MessageID: KeptMessage] = [:]
    /// Records that were stored in an earlier epoch, with the same content.
    var known: Set<MessageID> = []
}

extension WriteTransaction {
    /// Stores records of the log, removes those of `device` from the send queue, and applies changes to their messages.
    ///
    /// A record of an earlier epoch is moved to its position in this one. A record whose id is at another position of
    /// its own epoch is stored as a replay.
    ///
    /// - Parameter chapter: the conversation's present one.
    func save(_ messages: inout [KeptMessage], of device: DeviceAddress, chapter: Int) throws -> Keeping {
        var keeping = Keeping()
        for index in messages.indices {
            let record = messages[index].record
            messages[index].chapter = chapter
            var insertion: Insertion
            if record.sender == device {
                try compareWithQueue(&messages[index])
                let outcome = try finish(messages[index].stored(for: device.user))
                insertion = outcome.insertion
                if outcome.wasQueued { keeping.finished.insert(record.id) }
            } else {
                insertion = try insert(messages[index].stored(for: device.user))
            }
            if case .earlier(let cached) = insertion {
                insertion = .idTaken
                if let moved = try move(cached, to: messages[index], for: device.user) {
                    insertion = .known
                    if KeptMessage(cached)?.shownContent == moved.shownContent { keeping.known.insert(record.id) }
                    messages[index] = moved
                }
            }
            if case .idTaken = insertion {
                messages[index] = KeptMessage(record: record, isReplay: true, chapter: chapter)
                try insert(messages[index].stored(for: device.user, as: .random()))
            } else if record.isChange {
                try findChapter(of: &messages[index])
                keeping.changed[record.id] = try apply(messages[index], for: device.user)
            } else {
                try findChapter(of: &messages[index])
                try settle(&messages[index], for: device.user)
            }
        }
        return keeping
    }

    /// Marks whether a record of this device has the queued content, and its recipients.
    private func compareWithQueue(_ message: inout KeptMessage) throws {
        guard let content = message.content, let item = try facts.queued(message.record.id),
            let request = item.request, let draft = item.content.flatMap({ Draft(payload: $0) }),
            draft.content == content
        else { return }
        message.isOwnWriting = true
        message.sealedFor = SealedDraft(request, draft)?.sealedFor ?? []
    }

    /// - Returns: the moved message; `nil` if its id belongs to another one.
    private func move(_ cached: CachedMessage, to new: KeptMessage, for user: UserID) throws -> KeptMessage? {
        var moved = new
        if let held = KeptMessage(cached) {
            guard let same = held.moved(to: new) else { return nil }
            moved = same
        }
        return try move(cached.position, to: moved.stored(for: user)) ? moved : nil
    }

    /// Records that two epochs share are in the earlier one's chapter.
    private func findChapter(of message: inout KeptMessage) throws {
        guard message.chapter > 0,
            let kept = try facts.message(message.record.id, in: message.record.conversation)
        else { return }
        message.chapter = kept.chapter
    }

    /// Applies a change to its message.
    ///
    /// - Returns: the message, if it is stored and has changed.
    func apply(_ change: KeptMessage, for user: UserID) throws -> KeptMessage? {
        guard let id = change.record.target,
            case .whole(let stored)? = try facts.message(id, in: change.record.conversation),
            var message = KeptMessage(stored), message.apply(change)
        else { return nil }
        try replace(message.stored(for: user, as: stored.position.id))
        if message.changes.isRemoved { try emptyChanges(of: message, for: user) }
        return message
    }

    /// Applies stored changes to a message that is stored after them, from an older page or after damage.
    func settle(_ message: inout KeptMessage, for user: UserID) throws {
        guard !message.isReplay else { return }
        let changes = try facts.changes(of: message.record.id, in: message.record.conversation)
        var isOther = false
        for change in changes.compactMap({ KeptMessage($0) }) where message.apply(change) { isOther = true }
        guard isOther else { return }
        try replace(message.stored(for: user))
        if message.changes.isRemoved { try emptyChanges(of: message, for: user) }
    }

    /// Deletes all earlier content of a deleted message.
    private func emptyChanges(of message: KeptMessage, for user: UserID) throws {
        for cached in try facts.changes(of: message.record.id, in: message.record.conversation) {
            guard case .whole(let stored) = cached, var change = KeptMessage(stored),
                change.content != nil || change.record.content != nil
            else { continue }
            change.empty()
            try replace(change.stored(for: user, as: stored.position.id))
        }
    }
}

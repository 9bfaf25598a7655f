import ParleyDeviceStore
import ParleyProtocol

/// What was kept in one transaction.
struct Keeping {
    /// The records of this device that had waited to be sent.
    var finished: Set<MessageID> = []
    /// The messages that changes among them are about, as they are then, by the change.
    var changed: [MessageID: KeptMessage] = [:]
}

extension WriteTransaction {
    /// Keeps records of the log in their places, takes those of `device` that wait to be sent out of the queue, and takes
    /// changes up in the messages that they are about.
    ///
    /// One whose id stands at another place already is made a replay, and kept as such.
    func keep(_ messages: inout [KeptMessage], of device: DeviceAddress) throws -> Keeping {
        var keeping = Keeping()
        for index in messages.indices {
            let record = messages[index].record
            let insertion: Insertion
            if record.sender == device {
                let outcome = try finish(messages[index].stored(for: device.user))
                insertion = outcome.insertion
                if outcome.wasQueued { keeping.finished.insert(record.id) }
            } else {
                insertion = try insert(messages[index].stored(for: device.user))
            }
            if case .idTaken = insertion {
                messages[index] = KeptMessage(record: record, isReplay: true)
                try insert(messages[index].stored(for: device.user, as: .random()))
            } else if record.isChange {
                keeping.changed[record.id] = try takeUp(messages[index], for: device.user)
            } else {
                try settle(&messages[index], for: device.user)
            }
        }
        return keeping
    }

    /// Takes a change up in the message that it is about.
    ///
    /// - Returns: the message, if it is kept here and otherwise now.
    func takeUp(_ change: KeptMessage, for user: UserID) throws -> KeptMessage? {
        guard let id = change.record.target,
            case .whole(let stored)? = try facts.message(id, in: change.record.conversation),
            var message = KeptMessage(payload: stored.payload), message.apply(change)
        else { return nil }
        try replace(message.stored(for: user, as: stored.place.id))
        if message.changes.isRemoved { try emptyChanges(of: message, for: user) }
        return message
    }

    /// Takes up in a message what was kept of the changes to it: it joins after them when older pages are read, or when
    /// what was damaged is fetched again.
    func settle(_ message: inout KeptMessage, for user: UserID) throws {
        guard !message.isReplay else { return }
        let changes = try facts.changes(of: message.record.id, in: message.record.conversation)
        var isOther = false
        for change in changes.compactMap(KeptMessage.init) where message.apply(change) { isOther = true }
        guard isOther else { return }
        try replace(message.stored(for: user))
        if message.changes.isRemoved { try emptyChanges(of: message, for: user) }
    }

    /// What a deleted message has said at any time is forgotten.
    private func emptyChanges(of message: KeptMessage, for user: UserID) throws {
        for cached in try facts.changes(of: message.record.id, in: message.record.conversation) {
            guard case .whole(let stored) = cached, var change = KeptMessage(payload: stored.payload),
                change.content != nil || change.record.content != nil
            else { continue }
            change.empty()
            try replace(change.stored(for: user, as: stored.place.id))
        }
    }
}

import ParleyDeviceStore
import ParleyProtocol

// A conversation as it is stored.

extension FollowedConversation {
    /// Reads a stored conversation. Damaged fields are fetched again.
    init(_ kept: ConversationState) {
        self.init(kept.id)
        if let stretch = kept.kept {
            log = ConversationLog(
                epoch: stretch.epoch, held: stretch.seqs.lowerBound..<(stretch.seqs.upperBound + 1))
        }
        deliveredSeq = kept.deliveredSeq
        chapter = kept.chapter
        guard let bytes = kept.object, let object = try? JSONObject(parsing: bytes) else { return }
        try? read(object)
    }

    private mutating func read(_ object: JSONObject) throws {
        if let conversation = try object.object("conversation") {
            self.object = try Conversation(reading: conversation)
        }
        membership = Membership(
            isMember: try object.bool("is_member") ?? true, isOpen: try object.bool("is_open") ?? true)
        if let preferences = try object.object("preferences") {
            self.preferences = try ConversationPreferences(members: preferences)
        }
        start = try object.bool("reaches_start") == true ? .reached : .unknown
        let counts = 0...Int.max
        if log.epoch == nil, let epoch = try object.text("epoch", maximum: Limits.epochCharacters) {
            log = ConversationLog(epoch: epoch)
        }
        past =
            try object.objects("past", maximum: PastEpoch.most)?.map { past in
                PastEpoch(
                    epoch: try past.text("epoch", maximum: Limits.epochCharacters).required("epoch"),
                    chapter: try past.integer("chapter", in: counts).required("chapter"),
                    reached: ReachedMarks.Mark(
                        delivered: try past.integer("delivered", in: counts) ?? 0,
                        read: try past.integer("read", in: counts) ?? 0))
            } ?? []
        ownSeq = try object.integer("own_seq", in: counts) ?? 0
        unopened = try UnopenedSeqs(object, "unopened")
        unopenedChanges = try UnopenedSeqs(object, "unopened_changes")
        unread.setCount(
            try object.integer("unread", in: counts) ?? 0, readSeq: try object.integer("read_seq", in: counts) ?? 0,
            lastSeq: try object.integer("counted_seq", in: counts) ?? 0)
        if let delivered = try object.integer("all_delivered", in: counts) { reached.merge(.delivered, at: delivered) }
        if let read = try object.integer("all_read", in: counts) { reached.merge(.read, at: read) }
        if let seq = try object.integer("pending_read_seq", in: counts),
            let message = try object.uuid("pending_read_id", as: MessageID.self)
        {
            pendingRead = ReceiptCoalescer.Mark(message: message, seq: seq)
        }
    }

    /// - Parameter user: the device's own.
    func kept(own user: UserID) -> ConversationState {
        var stretch: KeptStretch?
        if let epoch = log.epoch, let held = log.held, !held.isEmpty {
            stretch = KeptStretch(epoch: epoch, seqs: held.lowerBound...(held.upperBound - 1))
        }
        let least = reached.least(of: members.filter { $0 != user })
        var writer = JSONWriter()
        writer.object { writer in
            if let object {
                writer.key("conversation")
                object.withoutListEntry.write(to: &writer)
            }
            writer.member("is_member", isMember)
            writer.member("reaches_start", start == .reached)
            writer.member("own_seq", ownSeq)
            unopened.write("unopened", to: &writer)
            unopenedChanges.write("unopened_changes", to: &writer)
            writer.member("is_open", isOpen)
            writer.member("preferences", object: preferences.writeMembers)
            writer.member("unread", unread.count)
            writer.member("read_seq", unread.readSeq)
            writer.member("counted_seq", unread.countedSeq ?? (log.held?.upperBound ?? 1) - 1)
            writer.member("all_delivered", least.delivered)
            writer.member("all_read", least.read)
            writer.member("epoch", log.epoch)
            writer.member("past", array: past) { writer, past in
                writer.object {
                    $0.member("epoch", past.epoch)
                    $0.member("chapter", past.chapter)
                    $0.member("delivered", past.reached.delivered)
                    $0.member("read", past.reached.read)
                }
            }
            if let pendingRead {
                writer.member("pending_read_seq", pendingRead.seq)
                writer.member("pending_read_id", pendingRead.message)
            }
        }
        return ConversationState(
            id: id, kept: stretch, deliveredSeq: deliveredSeq, object: writer.finish(), chapter: chapter)
    }
}

extension UnopenedSeqs {
    fileprivate init(_ object: JSONObject, _ name: String) throws {
        let places = try object.objects(name, maximum: UnopenedSeqs.capacity) ?? []
        let seqs = ConversationLog<MessageRecord>.seqs
        self.init(seqs: try places.map { try $0.integer("seq", in: seqs).required("seq") })
    }

    fileprivate func write(_ name: String, to writer: inout JSONWriter) {
        guard !seqs.isEmpty else { return }
        writer.member(name, array: seqs) { writer, seq in writer.object { $0.member("seq", seq) } }
    }
}

import ParleyCrypto
import ParleyProtocol

// Messages: kept, told to everybody in the conversation, and read by whoever can.

extension World {
    mutating func send(_ message: SendMessage, from device: DeviceAddress) throws(Rejection) -> Answer {
        let thread = try openThread(message.conversation, for: device.user)
        if let known = thread.records.first(where: { $0.id == message.id }) { return accepted(known) }
        if let busyWith, thread.partner(of: device.user) == busyWith {
            throw Rejection(.unavailable, "The gateway is busy.")
        }
        try refuseStaleDevices(message.sealed, in: thread, from: device)
        if message.isUrgent { urgent.insert(message.id) }
        let (time, sealed) = (tick(), message.sealed)
        let record = MessageRecord(
            id: message.id, conversation: thread.id, epoch: thread.epoch, seq: thread.lastSeq + 1, sender: device,
            type: .known(message.type), suite: .known(sealed.suite), content: sealed.content, nonce: sealed.nonce,
            recipientKeys: sealed.recipientKeys, replyTo: message.replyTo,
            expiresAt: message.expiry(createdAt: time), createdAt: time)
        // A client seals with no other.
        guard let suite = sealed.suite.bound else { throw .unboundSuite }
        open(
            SealedMessage(
                suite: suite, nonce: sealed.nonce, content: sealed.content, recipientKeys: sealed.recipientKeys),
            MessageHeader(
                suite: suite, conversation: thread.id, id: message.id, sender: device, type: message.type,
                replyTo: message.replyTo, expiresIn: message.expiresIn),
            members: thread.members)
        var answer = accepted(record)
        answer.events = [append(record, to: thread)]
        if message.echoIsReply { answer.reply = nil }
        return answer
    }

    mutating func change(_ change: ChangeMessage, from device: DeviceAddress) throws(Rejection) -> Answer {
        let thread = try openThread(change.conversation, for: device.user)
        if let known = thread.records.first(where: { $0.id == change.id }) { return accepted(known) }
        guard let target = thread.records.first(where: { $0.id == change.message }), let type = target.type.value
        else { throw .messageNotFound }
        if let sealed = change.sealed {
            try refuseStaleDevices(sealed, in: thread, from: device)
            guard let suite = sealed.suite.bound else { throw .unboundSuite }
            open(
                SealedMessage(
                    suite: suite, nonce: sealed.nonce, content: sealed.content,
                    recipientKeys: sealed.recipientKeys),
                MessageHeader(
                    suite: suite, conversation: thread.id, id: change.id, sender: device, type: type,
                    kind: change.kind, target: change.message),
                members: thread.members)
        }
        let record = MessageRecord(
            id: change.id, conversation: thread.id, epoch: thread.epoch, seq: thread.lastSeq + 1,
            kind: .known(change.kind), target: change.message, sender: device, type: .known(type),
            suite: (change.sealed?.suite).map { .known($0) }, content: change.sealed?.content,
            nonce: change.sealed?.nonce, recipientKeys: change.sealed?.recipientKeys, createdAt: tick())
        var answer = accepted(record)
        answer.events = [append(record, to: thread)]
        return answer
    }

    /// What the gateway has told of as a conversation it takes messages for.
    private func openThread(_ id: ConversationID, for user: UserID) throws(Rejection) -> TrueConversation {
        let thread = try knownThread(id, for: user)
        guard thread.members.contains(user) else { throw .conversationNotFound }
        return thread
    }

    private func accepted(_ record: MessageRecord) -> Answer {
        .accepted { writer in
            SentMessage(id: record.id, epoch: record.epoch, seq: record.seq, createdAt: record.createdAt)
                .write(to: &writer)
        }
    }

    /// Puts a record at the end of a log.
    mutating func append(_ record: MessageRecord, to thread: TrueConversation) -> Publication {
        var thread = thread
        thread.records.append(record)
        if threads[thread.id] == nil { order.append(thread.id) }
        threads[thread.id] = thread
        return Publication(.conversation(thread.id, .messages)) { record.writeEvent(to: &$0) }
    }

    mutating func history(_ request: GetHistory, for user: UserID) throws(Rejection) -> Answer {
        let thread = try openThread(request.conversation, for: user)
        if tells(.endless(.history), about: thread.partner(of: user)) { return endlessHistory(thread) }
        let all = thread.records
        let page: ArraySlice<MessageRecord>
        switch request.position {
        case .newest: page = all.suffix(request.limit)
        case .before(let point): page = all.prefix(try thread.index(of: point)).suffix(request.limit)
        case .after(let point): page = all.dropFirst(try thread.index(of: point) + 1).prefix(request.limit)
        case .around(let point):
            page = all.dropFirst(max(0, try thread.index(of: point) - request.limit / 2)).prefix(request.limit)
        }
        let summary = HistorySummary(
            hasMore: page.first?.seq ?? 1 > 1, nextCursor: page.first?.seq, epoch: thread.epoch,
            lastSeq: thread.lastSeq, foundOldest: page.startIndex == 0, foundNewest: page.endIndex == all.endIndex)
        return .accepted { HistoryReply(messages: Array(page), summary: summary).write(to: &$0) }
    }
}

extension TrueConversation {
    /// Where a record stands; before the first for a seq that is before it.
    fileprivate func index(of point: RecordPoint) throws(Rejection) -> Int {
        switch point {
        case .seq(let seq): return seq - 1
        case .id(let id):
            guard let index = records.firstIndex(where: { $0.id == id }) else { throw .messageNotFound }
            return index
        }
    }
}

extension Rejection {
    fileprivate static let unboundSuite = Rejection(.badRequest, "suite: no client seals with it")
}

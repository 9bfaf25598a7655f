import ParleyProtocol

// Conversations, as they really are; what is told of them goes through `told(_:to:at:)`.

extension World {
    /// The conversation of two, which is made if there is none.
    @discardableResult
    mutating func directThread(of one: UserID, _ other: UserID) throws -> TrueConversation {
        let id = try ConversationID.direct(of: one, other)
        if let thread = threads[id] { return thread }
        return make(id, .direct, name: nil, [one, other])
    }

    mutating func make(_ id: ConversationID, _ type: ConversationType, name: String?, _ members: [UserID])
        -> TrueConversation
    {
        let time = tick()
        let thread = TrueConversation(
            id: id, type: type, name: name, createdBy: members.first ?? Attacker.user, createdAt: time, updatedAt: time,
            members: members, epoch: "e1")
        threads[id] = thread
        order.append(id)
        return thread
    }

    private func thread(_ id: ConversationID, for user: UserID) throws(Rejection) -> TrueConversation {
        guard let thread = threads[id], thread.members.contains(user) else { throw .conversationNotFound }
        return thread
    }

    mutating func create(_ request: CreateConversation, by user: UserID) throws(Rejection) -> Answer {
        guard request.participants.allSatisfy({ published[$0] != nil }) else { throw .userNotFound }
        let thread: TrueConversation
        switch request.form {
        case .direct:
            guard let other = request.participants.first(where: { $0 != user }),
                let made = try? directThread(of: user, other)
            else { throw .userNotFound }
            thread = made
        case .group(let id, let name):
            let id = id ?? .random()
            let others = request.participants.filter { $0 != user }
            thread = threads[id] ?? make(id, .group, name: name, [user] + others)
        }
        let told = told(thread, to: user, at: .create)
        return .accepted(created(thread, but: user)) { told.write(to: &$0) }
    }

    /// What the others hear of a new conversation.
    private func created(_ thread: TrueConversation, but user: UserID) -> [Publication] {
        thread.members.filter { $0 != user }.map { member in
            Publication(.user(member, .events)) { writer in
                writer.event("conversation.created") { thread.object.write(to: &$0) }
            }
        }
    }

    mutating func get(_ id: ConversationID, for user: UserID) throws(Rejection) -> Answer {
        // What a liar has told of before, it knows of now.
        let thread = try knownThread(id, for: user)
        guard thread.members.contains(user) else { throw .conversationNotFound }
        let told = told(thread, to: user, at: .get)
        return .accepted { told.write(to: &$0) }
    }

    mutating func list(_ request: ListConversations, for user: UserID) -> Answer {
        if tells(.endless(.list)) || tells(.endless(.total)) { return endlessList(request, for: user) }
        let all =
            request.archived ? [] : order.reversed().compactMap { threads[$0] }.filter { $0.members.contains(user) }
        let page = all.dropFirst(request.offset).prefix(request.limit)
        return .accepted { writer in
            writer.object { object in
                object.member("conversations", array: page) { writer, thread in
                    told(thread, to: user, at: .list).write(to: &writer, inList: true)
                }
                object.member("total", all.count)
                object.member("limit", request.limit)
                object.member("offset", request.offset)
            }
        }
    }

    mutating func sync(_ request: SyncRequest, for user: UserID) throws(Rejection) -> Answer {
        // An older gateway has none, and is listed.
        if lies.values.contains(where: { $0.contains(where: \.needsList) }) { throw .unknownOperation }
        let all = order.compactMap { threads[$0] }.filter { $0.members.contains(user) }
        let isEndless = tells(.endless(.sync))
        if isEndless { pages += 1 }
        return .accepted { writer in
            writer.object { object in
                object.member("conversations", array: all) { writer, thread in
                    synced(thread, request.cursors[thread.id], for: user, to: &writer)
                }
                object.member(
                    "left", array: request.cursors.keys.filter { threads[$0]?.members.contains(user) != true }
                ) { $0.value($1) }
                object.member("complete", !isEndless)
                object.member("next_cursor", isEndless ? "page-\(pages)" : nil)
            }
        }
    }

    private func synced(
        _ thread: TrueConversation, _ cursor: SyncRequest.Cursor?, for user: UserID, to writer: inout JSONWriter
    ) {
        let isRecovered = cursor.map { $0.epoch == thread.epoch } ?? true
        let records = isRecovered ? thread.records.filter { $0.seq > cursor?.seq ?? 0 }.prefix(Limits.pageItems) : []
        writer.object { object in
            object.member("conversation_id", thread.id)
            object.member("recovered", isRecovered)
            object.member("epoch", thread.epoch)
            object.member("last_seq", thread.lastSeq)
            object.member("messages", array: records) { $1.write(to: &$0) }
            object.member("watermarks") { _ in }
            object.member("unread_count", 0)
            ConversationPreferences().writeMembers(to: &object)
            if cursor == nil || lies(about: thread, to: user).contains(where: \.isToldInSync) {
                object.key("conversation")
                told(thread, to: user, at: .sync).write(to: &object)
            }
        }
    }

    mutating func changeMembers(
        of id: ConversationID, for user: UserID, _ body: (inout [UserID]) -> Void
    ) throws(Rejection) -> Answer {
        var thread = try thread(id, for: user)
        guard thread.type == .group else { throw Rejection(.forbidden, "Nobody joins a conversation of two.") }
        body(&thread.members)
        thread.updatedAt = tick()
        threads[id] = thread
        let object = thread.object
        let event = Publication(.conversation(id, .info)) { writer in
            writer.event("conversation.updated") { object.write(to: &$0, withCounters: false) }
        }
        return .accepted([event]) { object.write(to: &$0) }
    }

    mutating func mark(_ mark: MarkReceipt, by user: UserID) throws(Rejection) -> Answer {
        let thread = try thread(mark.conversation, for: user)
        guard let record = thread.records.first(where: { $0.id == mark.message }) else { throw .messageNotFound }
        let watermark = Watermark(
            conversation: thread.id, user: user, kind: mark.kind, message: record.id, seq: record.seq, at: tick())
        return .accepted { watermark.write(to: &$0) }
    }
}

import ParleyDeviceStore
import ParleyProtocol

/// The changes to a message: its latest edit, its reactions, its deletion.
///
/// The result does not depend on the order or number of merges: the change that is later in the log counts. Edits and
/// deletions by others than the sender are ignored, even if the gateway let them through.
struct MessageChanges: Hashable, Sendable {
    struct Edit: Hashable, Sendable {
        let position: ChapterPosition
        /// By the gateway's clock.
        let at: Timestamp
        /// The content: a JSON object.
        let content: [UInt8]
        /// Whether it repeats the content for devices that could not open it.
        var isResent = false
        /// As ``KeptMessage/isOwnWriting``.
        var isOwnWriting = false

        /// The later edit counts. A resent content counts only without a real edit, and then the first one.
        fileprivate func counts(before other: Edit) -> Bool {
            guard isResent == other.isResent else { return other.isResent }
            return isResent ? position < other.position : position > other.position
        }
    }

    struct ReactionMark: Hashable, Sendable {
        let position: ChapterPosition
        /// Empty if it was removed.
        let emoji: String
    }

    var edit: Edit?
    var isRemoved = false
    /// The latest of each user.
    var reactions: [UserID: ReactionMark] = [:]

    var shownReactions: [UserID: String] { reactions.filter { !$0.value.emoji.isEmpty }.mapValues(\.emoji) }

    var editedAt: Timestamp? { edit.flatMap { $0.isResent ? nil : $0.at } }

    var isEmpty: Bool { self == MessageChanges() }

    /// The latest content of a message.
    ///
    /// - Parameter content: the original content, if it could be opened.
    func shownContent(over content: [UInt8]?) -> [UInt8]? {
        guard let edit, !edit.isResent || content == nil else { return content }
        return edit.content
    }

    /// Applies an opened change.
    ///
    /// - Returns: whether anything has changed.
    mutating func apply(_ change: KeptMessage, to kept: KeptMessage) -> Bool {
        let (record, message) = (change.record, kept.record)
        guard !isRemoved, !change.isReplay, record.target == message.id, record.conversation == message.conversation,
            record.epoch == message.epoch || change.chapter != kept.chapter,
            change.chapterPosition > kept.chapterPosition,
            message.canChange
        else { return false }
        let isOfSender = record.sender.user == message.sender.user
        switch record.kind {
        case .known(.edit):
            guard isOfSender, record.type == message.type, let content = change.content else { return false }
            let edit = Edit(
                position: change.chapterPosition, at: record.createdAt, content: content,
                isResent: ResentMark.isOn(content),
                isOwnWriting: change.isOwnWriting)
            return merge(edit, of: message.type)
        case .known(.delete):
            guard isOfSender else { return false }
            remove()
            return true
        case .known(.reaction):
            guard let json = change.content, let emoji = Reaction(json: json)?.emoji else { return false }
            return merge(ReactionMark(position: change.chapterPosition, emoji: emoji), of: record.sender.user)
        case .known(.message), .unknown:
            return false
        }
    }

    /// An edit that is no valid content is ignored.
    private mutating func merge(_ edit: Edit, of type: Named<MessageType>) -> Bool {
        guard self.edit.map(edit.counts) ?? true,
            (try? MessageContent(type: type, json: edit.content)) != nil
        else {
            return false
        }
        self.edit = edit
        return true
    }

    private mutating func merge(_ reaction: ReactionMark, of user: UserID) -> Bool {
        guard reactions[user].map({ $0.position < reaction.position }) ?? true else { return false }
        reactions[user] = reaction
        return true
    }

    private mutating func remove() {
        edit = nil
        reactions = [:]
        isRemoved = true
    }

    /// Applies an unsent change of the user, as if it were at the end of the log.
    mutating func apply(_ draft: Draft, by user: UserID) {
        guard !isRemoved, let change = draft.change else { return }
        switch change.kind {
        case .edit where draft.resending != nil: break
        case .edit: edit = Edit(position: .end, at: draft.writtenAt, content: draft.content)
        case .delete: remove()
        case .reaction:
            guard let emoji = Reaction(json: draft.content)?.emoji else { return }
            reactions[user] = ReactionMark(position: .end, emoji: emoji)
        }
    }
}

extension Reaction {
    fileprivate init?(json: [UInt8]) {
        guard let object = try? JSONObject(parsing: json) else { return nil }
        try? self.init(members: object)
    }
}

extension MessageRecord {
    var isChange: Bool {
        switch kind {
        case .known(.message): false
        case .known(.edit), .known(.delete), .known(.reaction): true
        case .unknown: target != nil
        }
    }

    /// Whether it is a message by a person.
    fileprivate var canChange: Bool { kind == .known(.message) && type != .known(.system) }
}

// MARK: As it is kept

extension MessageChanges: GatewayObject {
    init<Pass: FieldPass<MessageChanges>>(fields pass: inout Pass) throws(Pass.Failure) {
        edit = try pass.optional("edit", \.edit, as: .object(), without: .omitted)
        isRemoved = try pass.mark("is_removed", \.isRemoved)
        reactions = try pass.required("reactions", \.reactions, as: ReactionsForm(), default: [:])
    }
}

extension MessageChanges.Edit: GatewayObject {
    init<Pass: FieldPass<MessageChanges.Edit>>(fields pass: inout Pass) throws(Pass.Failure) {
        position = try pass.part(\.position)
        at = try pass.required("at", \.at)
        content = try pass.required("content", \.content, as: .base64(0...Limits.packetBytes))
        isResent = try pass.mark("is_resent", \.isResent)
        isOwnWriting = try pass.mark("is_own_writing", \.isOwnWriting)
    }
}

private struct ReactionsForm: FieldForm {
    func read(_ name: String, of object: JSONObject) throws(Rejection) -> [UserID: MessageChanges.ReactionMark]? {
        var reactions: [UserID: MessageChanges.ReactionMark] = [:]
        for reaction in try object.objects(name, maximum: .max) ?? [] {
            reactions[try reaction.level("user_id").required("user_id")] = MessageChanges.ReactionMark(
                position: try ChapterPosition(members: reaction),
                emoji: try reaction.text("emoji", maximum: Reaction.longest).required("emoji"))
        }
        return reactions
    }

    func write(_ value: [UserID: MessageChanges.ReactionMark], to writer: inout JSONWriter) {
        writer.array(value.sorted { $0.key < $1.key }) { writer, reaction in
            writer.object { object in
                object.member("user_id", reaction.key)
                reaction.value.position.writeMembers(to: &object)
                object.member("emoji", reaction.value.emoji)
            }
        }
    }

    var schema: FieldSchema { .anything }
}

extension ChapterPosition: GatewayObject {
    /// After every stored record.
    fileprivate static let end = ChapterPosition(chapter: .max, seq: .max)

    package init<Pass: FieldPass<ChapterPosition>>(fields pass: inout Pass) throws(Pass.Failure) {
        let seq = try pass.required("seq", \.seq, as: .seq)
        let chapter = try pass.optional("chapter", { $0.chapter > 0 ? $0.chapter : nil }, without: .omitted)
        self.init(chapter: chapter ?? 0, seq: seq)
    }
}

import ParleyProtocol

/// A message, or a change to one, that was written and not sealed yet: what the queue on disk keeps of it, so that it can be sealed as often
/// as its recipients' devices change.
struct Draft: Hashable, Sendable {
    let type: MessageType.Sendable
    /// The content: a JSON object.
    let content: [UInt8]
    let replyTo: MessageID?
    /// In whole seconds.
    let expiresIn: Int?
    /// The one that the app chose; `nil` for the conversation's usual one.
    let suite: Suite?
    /// When it was written, by this device's clock.
    let writtenAt: Timestamp
    /// Which message it changes, and how; `nil` for a message.
    var change: Change?
    /// Why the client itself has written it; `nil` for what a person wrote. Nobody is told should it not be sent.
    var resending: Resending?
    /// The only users whom it is sealed for; empty for all who are there.
    var onlyFor: [UserID] = []

    struct Change: Hashable, Sendable {
        let kind: Kind
        let target: MessageID
    }

    enum Kind: String, CaseIterable, Sendable {
        case edit, delete, reaction
    }

    var kind: RecordKind {
        switch change?.kind {
        case .edit: .edit
        case .delete: .delete
        case .reaction: .reaction
        case nil: .message
        }
    }

    var payload: [UInt8] {
        var writer = JSONWriter()
        writer.object { object in
            object.member("type", type.rawValue)
            object.member("content", base64: content)
            object.member("reply_to", replyTo)
            object.member("expires_in", expiresIn)
            object.member("suite", suite?.rawValue)
            object.member("written_at", writtenAt)
            if let change {
                object.member("kind", change.kind.rawValue)
                object.member("target_id", change.target)
            }
            object.member("resending", resending?.rawValue)
            if !onlyFor.isEmpty { object.member("only_for", array: onlyFor) { $0.value($1) } }
        }
        return writer.finish()
    }
}

extension Draft {
    init?(payload: [UInt8]) {
        guard let object = try? JSONObject(parsing: payload) else { return nil }
        try? self.init(object)
    }

    private init?(_ object: JSONObject) throws(Rejection) {
        guard let type = try object.choice("type", as: MessageType.Sendable.self),
            let content = try object.base64("content", lengths: 0...Limits.packetBytes),
            let written = try object.text("written_at", maximum: 24), let writtenAt = Timestamp(written)
        else { return nil }
        self.init(
            type: type, content: content, replyTo: try object.uuid("reply_to"),
            expiresIn: try object.integer("expires_in", in: Limits.expirySeconds), suite: try object.choice("suite"),
            writtenAt: writtenAt)
        if let kind = try object.choice("kind", as: Kind.self) {
            change = Change(kind: kind, target: try object.uuid("target_id").required("target_id"))
        }
        resending = try object.choice("resending")
        onlyFor = try object.levels("only_for", maximum: Limits.recipientKeys) ?? []
    }
}

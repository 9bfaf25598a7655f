/// `reports/create`: somebody tells the operators of a message or of a person.
public struct CreateReport: Hashable, Sendable {
    public enum Subject: Hashable, Sendable {
        case message(MessageID)
        case user(UserID)
    }

    public let id: ReportID
    /// In the reporter's words.
    public let reason: String
    public let subject: Subject
    /// What the reporter chose to reveal, as JSON: the content, the content key, whatever opens the commitment
    /// (protocol §6). The gateway keeps it and looks at none of it.
    public let evidence: [UInt8]?

    public init(id: ReportID, reason: String, subject: Subject, evidence: [UInt8]? = nil) {
        self.id = id
        self.reason = reason
        self.subject = subject
        self.evidence = evidence
    }

    init(_ object: JSONObject) throws(Rejection) {
        id = try object.uuid("id").required("id")
        reason = try object.text("reason", maximum: Limits.reasonCharacters).required("reason")
        let message: MessageID? = try object.uuid("message_id")
        let user: UserID? = try object.level("user_id")
        switch (message, user) {
        case (let message?, nil): subject = .message(message)
        case (nil, let user?): subject = .user(user)
        case (nil, nil), (_?, _?): throw .badRequest("message_id, user_id", "exactly one of them")
        }
        evidence = try object.json("evidence", maximumBytes: Limits.evidenceBytes)
    }

    func writeFields(to object: inout JSONWriter) {
        object.member("id", id)
        object.member("reason", reason)
        switch subject {
        case .message(let id): object.member("message_id", id)
        case .user(let user): object.member("user_id", user)
        }
        if let evidence { object.member("evidence", raw: evidence) }
    }
}

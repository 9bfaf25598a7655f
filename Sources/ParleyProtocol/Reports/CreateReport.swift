/// `reports/create`: somebody reports a message or a person to the operators.
public struct CreateReport: Command {
    public static let operation = Operation(validatedArea: "reports", verb: "create")
    public static let fields = "id, reason, message_id or user_id, evidence?"
    public typealias Reply = ReportReceipt

    public enum Subject: Hashable, Sendable {
        case message(MessageID)
        case user(UserID)
    }

    public let id: ReportID
    /// In the reporter's words.
    public let reason: String
    public let subject: Subject
    /// What the reporter chose to reveal, as JSON: the content, the content key, whatever opens the commitment
    /// (protocol §6). The gateway stores it without reading it.
    public let evidence: [UInt8]?

    public init(id: ReportID, reason: String, subject: Subject, evidence: [UInt8]? = nil) {
        self.id = id
        self.reason = reason
        self.subject = subject
        self.evidence = evidence
    }

    public init(_ object: JSONObject) throws(Rejection) {
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

    public func writeFields(to object: inout JSONWriter) {
        object.member("id", id)
        object.member("reason", reason)
        switch subject {
        case .message(let id): object.member("message_id", id)
        case .user(let user): object.member("user_id", user)
        }
        if let evidence { object.member("evidence", raw: evidence) }
    }

    /// What makes two requests of one id the same: everything that was sent, and who sent it.
    public func identityPreimage(sender: DeviceAddress) -> [UInt8] {
        var preimage = IdentityPreimage(reserving: reason.utf8.count + (evidence?.count ?? 0) + 192)
        preimage.field(sender.user.text.utf8)
        preimage.field(sender.device.text.utf8)
        preimage.field(reason.utf8)
        switch subject {
        case .message(let id):
            preimage.field("message".utf8)
            preimage.field(id.value.bytes)
        case .user(let user):
            preimage.field("user".utf8)
            preimage.field(user.text.utf8)
        }
        preimage.field(evidence ?? [])
        return preimage.bytes
    }
}

/// `admin/list-reports`
public struct ListReports: Query, PageRequest {
    public static let operation = Operation(validatedArea: "admin", verb: "list-reports")
    public static let isForOperators = true
    public typealias Reply = ListPage<Report>

    public let page: Page

    public init(page: Page = Page()) { self.page = page }
}

/// `reports/create`: reports a message or a person to the operators.
public struct CreateReport: RepeatableCommand {
    public static let operation = Operation(validatedArea: "reports", verb: "create")
    public typealias Reply = ReportReceipt

    public enum Subject: Hashable, Sendable {
        case message(MessageID)
        case user(UserID)

        /// - Returns: `nil` for neither and for both.
        fileprivate init?(_ message: MessageID?, _ user: UserID?) {
            switch (message, user) {
            case (let message?, nil): self = .message(message)
            case (nil, let user?): self = .user(user)
            case (nil, nil), (_?, _?): return nil
            }
        }
    }

    public let id: ReportID
    /// In the reporter's words.
    public let reason: String
    public let subject: Subject
    /// Revealed by the reporter, as JSON: the content, the content key, anything that opens the commitment (protocol
    /// §6). The gateway stores it without reading it.
    public let evidence: [UInt8]?

    public init(id: ReportID, reason: String, subject: Subject, evidence: [UInt8]? = nil) {
        (self.id, self.reason, self.subject, self.evidence) = (id, reason, subject, evidence)
    }

    package init<Pass: FieldPass<CreateReport>>(fields pass: inout Pass) throws(Pass.Failure) {
        id = try pass.required("id", \.id)
        reason = try pass.required("reason", \.reason, as: .text(Limits.reasonCharacters))
        let message = try pass.optional("message_id") { if case .message(let id) = $0.subject { id } else { nil } }
        let user = try pass.optional("user_id") { if case .user(let user) = $0.subject { user } else { nil } }
        subject = try pass.combined(
            \.subject, from: Subject(message, user), or: .badRequest("message_id, user_id", "exactly one of them"))
        evidence = try pass.optional("evidence", \.evidence, as: JSONForm(maximumBytes: Limits.evidenceBytes))
    }

    package func identityPreimage(sender: DeviceAddress) -> [UInt8] {
        let preimage = IdentityPreimage(of: sender, reserving: evidence?.count ?? 0).field(reason)
        return switch subject {
        case .message(let id): preimage.field("message").field(id).field(evidence ?? []).bytes
        case .user(let user): preimage.field("user").field(user.text).field(evidence ?? []).bytes
        }
    }
}

/// `admin/list-reports`
public struct ListReports: Query, PageRequest {
    public static let operation = Operation(validatedArea: "admin", verb: "list-reports")
    package static let askers = Askers.operators
    public typealias Reply = ListPage<Report>

    public let page: Page

    public init(page: Page = Page()) { self.page = page }
}

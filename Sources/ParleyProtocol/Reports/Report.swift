/// A report as the gateway stores it: an item of `admin/list-reports`.
public struct Report: GatewayObject {
    public let id: ReportID
    public let reporter: UserID
    /// In the reporter's words.
    public let reason: String
    /// The person in question; for a message, its sender.
    public let user: UserID
    /// The record at the time of the report, as JSON, its ciphertext `null` if it was gone; `nil` for a report about a
    /// user.
    public let message: [UInt8]?
    /// Revealed by the reporter: unchecked JSON.
    public let evidence: [UInt8]?
    public let createdAt: Timestamp

    public init(
        id: ReportID, reporter: UserID, reason: String, user: UserID, message: [UInt8]?, evidence: [UInt8]?,
        createdAt: Timestamp
    ) {
        self.id = id
        self.reporter = reporter
        self.reason = reason
        self.user = user
        self.message = message
        self.evidence = evidence
        self.createdAt = createdAt
    }

    /// The evidence is written as bytes: its nesting and spelling are a stranger's, and must not make the reply
    /// unreadable.
    package init<Pass: FieldPass<Report>>(fields pass: inout Pass) throws(Pass.Failure) {
        id = try pass.required("id", \.id)
        reporter = try pass.required("reporter_id", \.reporter)
        user = try pass.required("user_id", \.user)
        reason = try pass.required("reason", \.reason, as: .text(.max))
        message = try pass.optional("message", \.message, as: JSONForm(maximumBytes: .max))
        evidence = try pass.optional("evidence", \.evidence, as: .base64(0...Limits.evidenceBytes))
        createdAt = try pass.required("created_at", \.createdAt)
    }
}

/// The `data` of an accepted `reports/create`.
public struct ReportReceipt: GatewayObject {
    public let id: ReportID
    public let createdAt: Timestamp

    public init(id: ReportID, createdAt: Timestamp) { (self.id, self.createdAt) = (id, createdAt) }

    package init<Pass: FieldPass<ReportReceipt>>(fields pass: inout Pass) throws(Pass.Failure) {
        id = try pass.required("id", \.id)
        createdAt = try pass.required("created_at", \.createdAt)
    }
}

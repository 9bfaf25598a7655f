/// A report as the gateway keeps it: an item of `admin/list-reports`.
public struct Report: Hashable, Sendable {
    public let id: ReportID
    public let reporter: UserID
    /// In the reporter's words.
    public let reason: String
    /// Whom it is about: of a message, its sender.
    public let user: UserID
    /// The record as it was when it was reported, as JSON, its ciphertext `null` if it was gone; `nil` where the report
    /// is about a user alone.
    public let message: [UInt8]?
    /// What the reporter chose to reveal: JSON that nobody has looked at.
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

    /// Writes the item. The evidence goes as bytes: its nesting and spelling are a stranger's, and must not make the
    /// reply one that cannot be read.
    public func write(to writer: inout JSONWriter) {
        writer.object { object in
            object.member("id", id)
            object.member("reporter_id", reporter)
            object.member("user_id", user)
            object.member("reason", reason)
            object.member("message", raw: message)
            object.member("evidence", base64: evidence)
            object.member("created_at", createdAt)
        }
    }
}

/// The `data` of an accepted `reports/create`.
public struct ReportReceipt: Hashable, Sendable {
    public let id: ReportID
    public let createdAt: Timestamp

    public init(id: ReportID, createdAt: Timestamp) {
        self.id = id
        self.createdAt = createdAt
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { object in
            object.member("id", id)
            object.member("created_at", createdAt)
        }
    }
}

// MARK: Reading

extension Report: GatewayValue {
    package init(members object: JSONObject) throws(Rejection) {
        self.init(
            id: try object.uuid("id").required("id"),
            reporter: try object.level("reporter_id").required("reporter_id"),
            reason: try object.text("reason", maximum: .max).required("reason"),
            user: try object.level("user_id").required("user_id"),
            message: try object.json("message", maximumBytes: .max),
            evidence: try object.base64("evidence", lengths: 0...Limits.evidenceBytes),
            createdAt: try object.timestamp("created_at").required("created_at"))
    }
}

extension ReportReceipt: GatewayValue {
    package init(members object: JSONObject) throws(Rejection) {
        self.init(
            id: try object.uuid("id").required("id"),
            createdAt: try object.timestamp("created_at").required("created_at"))
    }
}

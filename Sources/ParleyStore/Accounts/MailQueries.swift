import ParleyProtocol

/// A mail to send.
package struct PendingMail: Hashable, Sendable {
    package enum Text: Hashable, Sendable {
        /// The code that follows from a seed, for this purpose.
        case code(CodePurpose.Kind, seed: [UInt8])
        case notice(Notice)
    }

    /// A mail without a code.
    package enum Notice: String, Hashable, Sendable {
        /// A registration was requested for an address that has an account.
        case registered
        /// Another user has requested to link the address.
        case linked
        /// The account of the address has another one now, or none.
        case replaced
        /// The account of the address signs in by a provider now, too.
        case added
        /// Sent to nobody: the address is unknown, and the request for it writes as much as for a known one.
        case none
    }

    package let recipient: EmailAddress
    package let text: Text
    /// It is not sent afterwards, by the steady time.
    package let expiresAt: Timestamp

    package init(to recipient: EmailAddress, _ text: Text, expiresAt: Timestamp) {
        (self.recipient, self.text, self.expiresAt) = (recipient, text, expiresAt)
    }
}

package struct StoredMail: Hashable, Sendable {
    package let key: RowKey<PendingMail>
    package let mail: PendingMail
    /// The number of failures to send it.
    package let attempts: Int
    /// By the steady time.
    package let dueAt: Timestamp
}

package struct MailQueries {
    let database: Database

    /// The next mails, in the order in which they are due.
    package func next(limit: Int) throws(StoreError) -> [StoredMail] {
        try database.list(
            "SELECT key, kind, address, seed, attempts, due_at, expires_at FROM mails ORDER BY due_at, key LIMIT ?",
            [limit]
        ) { row in
            guard let recipient = EmailAddress(row.text(2)) else { throw StoreError.inconsistent(.column(2)) }
            let mail = PendingMail(
                to: recipient, try PendingMail.Text(row.text(1), seed: row.bytes(3)), expiresAt: row.time(6))
            return StoredMail(key: row.key(0), mail: mail, attempts: row.integer(4), dueAt: row.time(5))
        }
    }
}

package struct MailWrites {
    let database: Database

    /// - Parameter dueAt: by the steady time.
    package func insert(_ mail: PendingMail, dueAt: Timestamp) throws(StoreError) {
        let (kind, seed) = mail.text.columns
        try database.run(
            "INSERT INTO mails (kind, address, seed, due_at, expires_at) VALUES (?, ?, ?, ?, ?)",
            [
                kind, mail.recipient.text, seed, dueAt.milliseconds, mail.expiresAt.milliseconds,
            ])
    }

    /// Claims a mail that is due, for the one gateway that sends it: until then it is not due for any.
    ///
    /// - Parameter dueAt: as it was read.
    /// - Returns: `false` if it is claimed or was sent since then.
    package func claim(
        _ key: RowKey<PendingMail>, dueAt: Timestamp, until: Timestamp
    ) throws(StoreError) -> Bool {
        try database.change(
            "UPDATE mails SET due_at = ? WHERE key = ? AND due_at = ?",
            [until.milliseconds, key.value, dueAt.milliseconds]) == 1
    }

    /// The mail was sent, or will not be sent again.
    package func remove(_ key: RowKey<PendingMail>) throws(StoreError) {
        try database.run("DELETE FROM mails WHERE key = ?", [key.value])
    }

    /// Sending failed, and is retried.
    package func postpone(_ key: RowKey<PendingMail>, to dueAt: Timestamp) throws(StoreError) {
        try database.run(
            "UPDATE mails SET attempts = attempts + 1, due_at = ? WHERE key = ?", [dueAt.milliseconds, key.value])
    }
}

extension PendingMail.Text {
    fileprivate var columns: (kind: String, seed: [UInt8]?) {
        switch self {
        case .code(let kind, let seed): (kind.rawValue, seed)
        case .notice(let notice): (notice.rawValue, nil)
        }
    }

    fileprivate init(_ kind: String, seed: [UInt8]?) throws(StoreError) {
        if let seed, let kind = CodePurpose.Kind(rawValue: kind) {
            self = .code(kind, seed: seed)
        } else if seed == nil, let notice = PendingMail.Notice(rawValue: kind) {
            self = .notice(notice)
        } else {
            throw .inconsistent(.column(1))
        }
    }
}

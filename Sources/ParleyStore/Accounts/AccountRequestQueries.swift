import ParleyProtocol

/// The outcome of a request about an account.
package enum AccountRequestOutcome: Hashable, Sendable {
    case done
    case signedIn(DeviceAddress)
    /// A wrong code, which is counted once.
    case refused
}

/// A request about an account that was carried out.
package struct StoredAccountRequest: Hashable, Sendable {
    /// 16 bytes.
    package let digest: [UInt8]
    package let outcome: AccountRequestOutcome
}

package struct AccountRequestQueries {
    let database: Database

    /// `nil` if no recent request has used the id.
    package func request(_ id: AccountRequestID) throws(StoreError) -> StoredAccountRequest? {
        try database.first(
            #"SELECT digest, is_refused, "user", device FROM account_requests WHERE id = ?"#, [id.blob]
        ) { row in
            let outcome: AccountRequestOutcome =
                row.isTrue(1)
                ? .refused
                : row.isNull(2) ? .done : .signedIn(DeviceAddress(user: try row.level(2), device: try row.level(3)))
            return StoredAccountRequest(digest: row.bytes(0) ?? [], outcome: outcome)
        }
    }
}

package struct AccountRequestWrites {
    let database: Database

    /// - Parameter removedAt: by the steady time.
    package func insert(
        _ id: AccountRequestID, digest: [UInt8], _ outcome: AccountRequestOutcome, removedAt: Timestamp
    ) throws(StoreError) {
        var device: DeviceAddress?
        if case .signedIn(let address) = outcome { device = address }
        try database.run(
            """
            INSERT INTO account_requests (id, digest, is_refused, "user", device, removed_at) VALUES (?, ?, ?, ?, ?, ?)
            """,
            [
                id.blob, digest, outcome == .refused, device?.user.text, device?.device.text,
                removedAt.milliseconds,
            ])
    }

    /// Removes expired codes, requests and mails, so many of each at most.
    ///
    /// - Returns: whether none is left, and when the next is due by the steady time; `nil` if there is none.
    package func removeExpired(
        steady: Timestamp, limit: Int
    ) throws(StoreError) -> (isComplete: Bool, nextAt: Timestamp?) {
        var (isComplete, nextAt): (Bool, Timestamp?) = (true, nil)
        for (table, key, time) in Self.expiring {
            let count = try database.change(
                """
                DELETE FROM \(table) WHERE \(key) IN (
                    SELECT \(key) FROM \(table) WHERE \(time) <= ? ORDER BY \(time) LIMIT ?)
                """, [steady.milliseconds, limit])
            if count >= limit { isComplete = false }
            let next = try database.row("SELECT min(\(time)) FROM \(table)").flatMap { $0.optionalTime(0) }
            nextAt = [nextAt, next].compactMap { $0 }.min()
        }
        return (isComplete, nextAt)
    }

    private static let expiring = [
        ("account_codes", "key", "expires_at"), ("account_requests", "id", "removed_at"),
        ("mails", "key", "expires_at"),
    ]
}

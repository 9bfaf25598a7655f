import ParleyProtocol

/// How many bytes each user has stored today, and may still store (protocol §4).
///
/// A transaction's charges count once it is committed. The number in the database runs ahead in steps, so that a
/// message seldom writes a row. A gateway adds a step when it has used its last one; so several that share the database
/// come to a step each above the limit at most, and what is left of a step counts after a restart. Holds the users of
/// today alone.
package struct StorageLedger: Sendable {
    private struct Account {
        /// The number in the database, as it was last read or written here.
        var stored: Int
        /// What of it this gateway has not used.
        var ahead = 0
        /// Whether other gateways may have added to it.
        var isStale = false
    }

    /// In bytes.
    private var limit: Int
    private var step: Int
    private let isShared: Bool
    /// Today, in days since 1970, UTC.
    package private(set) var day = Int.min
    /// Milliseconds until tomorrow.
    private var untilTomorrow = 0
    private var accounts: [UserID: Account] = [:]
    /// Of the current transaction.
    private var charges: [UserID: Int] = [:]

    /// In milliseconds.
    private static let dayLength: Int64 = 86_400_000
    /// In bytes: bounds how far the database runs ahead, so that a lowered limit is not spent by it.
    private static let longestStep = 256 << 10

    /// - Parameters:
    ///   - bytesPerDay: of a user, from midnight to midnight, UTC.
    ///   - isShared: whether other gateways count in the same database.
    package init(bytesPerDay: Int, isShared: Bool = false) {
        limit = max(1, bytesPerDay)
        step = StorageLedger.step(of: bytesPerDay)
        self.isShared = isShared
    }

    private static func step(of bytesPerDay: Int) -> Int { min(max(1, bytesPerDay / 1024), longestStep) }

    /// Another limit, from the next check on.
    package mutating func setBytesPerDay(_ bytes: Int) {
        (limit, step) = (max(1, bytes), StorageLedger.step(of: bytes))
    }

    /// Begins a transaction. On another day than the last all accounts are empty.
    package mutating func begin(at now: Timestamp) {
        charges.removeAll(keepingCapacity: true)
        let midnight = now.advanced(byMilliseconds: 1).roundedUp(to: StorageLedger.dayLength)
        untilTomorrow = Int(midnight.milliseconds - now.milliseconds)
        let today = Int(midnight.milliseconds / StorageLedger.dayLength) - 1
        guard today != day else { return }
        day = today
        accounts.removeAll()
    }

    /// Whether the user's number must be loaded from the database first.
    package func needsLoading(_ user: UserID) -> Bool { accounts[user]?.isStale ?? true }

    package mutating func load(_ user: UserID, stored: Int) {
        accounts[user] = Account(stored: stored, ahead: min(accounts[user]?.ahead ?? 0, stored))
    }

    /// - Throws: `rate_limited` above the day's limit.
    package func checkRoom(for bytes: Int, of user: UserID) throws(Rejection) {
        let used = used(by: user)
        guard used <= limit, bytes <= limit - used else {
            throw Rejection(
                .rateLimited, "You have stored as much as a user may in a day; tomorrow there is room again.",
                retryAfterMilliseconds: untilTomorrow)
        }
    }

    /// Charges the current transaction, without a check.
    package mutating func charge(_ bytes: Int, to user: UserID) {
        charges[user] = StorageLedger.sum(charges[user] ?? 0, bytes)
    }

    /// What the current transaction must add to the numbers in the database, in an order that all gateways keep: none
    /// waits for another that waits for it.
    package var dueAdditions: [(user: UserID, bytes: Int)] {
        charges.compactMap { user, charge -> (user: UserID, bytes: Int)? in
            let lacking = charge - (accounts[user]?.ahead ?? 0)
            guard lacking > 0 else { return nil }
            let (bytes, overflow) = ((lacking - 1) / step + 1).multipliedReportingOverflow(by: step)
            return (user, overflow ? lacking : bytes)
        }.sorted { $0.user.text < $1.user.text }
    }

    /// The transaction was committed, with the due additions.
    package mutating func recordCommit() {
        guard !charges.isEmpty else { return }
        let added = Dictionary(uniqueKeysWithValues: dueAdditions.map { ($0.user, $0.bytes) })
        for (user, charge) in charges {
            var account = accounts[user] ?? Account(stored: 0)
            if let bytes = added[user] {
                account.stored = StorageLedger.sum(account.stored, bytes)
                account.ahead = StorageLedger.sum(account.ahead, bytes)
                account.isStale = isShared
            }
            account.ahead -= charge
            accounts[user] = account
        }
        charges.removeAll(keepingCapacity: true)
    }

    /// By all gateways, as far as it is known here, and charged.
    private func used(by user: UserID) -> Int {
        let account = accounts[user]
        return StorageLedger.sum((account?.stored ?? 0) - (account?.ahead ?? 0), charges[user] ?? 0)
    }

    private static func sum(_ one: Int, _ other: Int) -> Int {
        let (sum, overflow) = one.addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}

/// The bytes that stored things count for: their content, and an amount for rows and indexes, so that the count bounds
/// their number.
package enum StorageCost {
    /// A row of the log, a report or a membership.
    package static let row = 512

    /// Traces and jobs of a message's push, for each possible recipient.
    package static let notification = row / 2

    /// A challenge with its two sides.
    package static let challenge = row * 4

    /// The conversation's row counts four times, since the broker retains an event of it.
    package static func conversation(members: Int) -> Int { row * (4 + members) }

    /// With its conversation and its creator.
    package static let group = row + conversation(members: 1)

    /// Added members: a membership and a record each.
    package static func members(_ count: Int) -> Int { row * 2 * count }
}

extension MessageRecord {
    package var storageCost: Int {
        StorageCost.row + (content?.count ?? 0) + (nonce?.count ?? 0) + (recipientKeysJSON?.count ?? 0)
            + (systemJSON?.count ?? 0)
    }
}

extension Report {
    package var storageCost: Int {
        StorageCost.row + reason.utf8.count + (message?.count ?? 0) + (evidence?.count ?? 0)
    }
}

import ParleyProtocol

/// How many bytes each user has stored today, and may still store (protocol §4).
///
/// A transaction's charges count once it is committed. The number in the database runs ahead in steps, so that a
/// message seldom writes a row; after a restart it counts, a step too much at most. Holds the users of today alone.
package struct StorageLedger: Sendable {
    private struct Account {
        var used: Int
        /// In the database; at least `used`.
        var stored: Int
    }

    /// In bytes.
    private let limit: Int
    private let step: Int
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

    /// - Parameter bytesPerDay: of a user, from midnight to midnight, UTC.
    package init(bytesPerDay: Int) {
        limit = max(1, bytesPerDay)
        step = min(max(1, bytesPerDay / 1024), StorageLedger.longestStep)
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
    package func needsLoading(_ user: UserID) -> Bool { accounts[user] == nil }

    package mutating func load(_ user: UserID, stored: Int) { accounts[user] = Account(used: stored, stored: stored) }

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
        let (sum, overflow) = charges[user, default: 0].addingReportingOverflow(bytes)
        charges[user] = overflow ? .max : sum
    }

    /// The numbers that the current transaction must write.
    package var dueNumbers: [(user: UserID, bytes: Int)] {
        charges.keys.compactMap { user in
            let used = used(by: user)
            guard used > accounts[user]?.stored ?? 0 else { return nil }
            let (ahead, overflow) = ((used - 1) / step + 1).multipliedReportingOverflow(by: step)
            return (user, overflow ? used : ahead)
        }
    }

    /// The transaction was committed, with the due numbers.
    package mutating func recordCommit() {
        let due = Dictionary(uniqueKeysWithValues: dueNumbers.map { ($0.user, $0.bytes) })
        for user in charges.keys {
            accounts[user] = Account(used: used(by: user), stored: due[user] ?? accounts[user]?.stored ?? 0)
        }
        charges.removeAll(keepingCapacity: true)
    }

    /// Committed and charged.
    private func used(by user: UserID) -> Int {
        let (sum, overflow) = (accounts[user]?.used ?? 0).addingReportingOverflow(charges[user] ?? 0)
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

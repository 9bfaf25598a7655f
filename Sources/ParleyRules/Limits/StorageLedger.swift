import ParleyProtocol

/// How much each user has had stored today, and how much more they may (protocol §4).
///
/// A value. What a transaction stores is charged while it runs and counts once it is
/// committed. The number kept in the database runs ahead of what was counted, in steps, so that a message seldom writes
/// a row; after a restart it is what counts, a step more than was stored at most.
///
/// It holds the users who have stored something today, no more.
package struct StorageLedger: Sendable {
    private struct Account {
        var used: Int
        /// What the database says; never less than `used`.
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
    /// What the transaction under way stores.
    private var charges: [UserID: Int] = [:]

    /// In milliseconds.
    private static let dayLength: Int64 = 86_400_000
    /// However much a user may store, the number in the database is no more than this ahead, in bytes: a limit that is
    /// lowered must not be spent by it.
    private static let longestStep = 256 << 10

    /// - Parameter bytesPerDay: what a user may have stored from midnight to midnight, UTC.
    package init(bytesPerDay: Int) {
        limit = max(1, bytesPerDay)
        step = min(max(1, bytesPerDay / 1024), StorageLedger.longestStep)
    }

    /// A transaction begins. On another day than the last, nobody has stored anything as far as is known here.
    package mutating func begin(at now: Timestamp) {
        charges.removeAll(keepingCapacity: true)
        let midnight = now.advanced(byMilliseconds: 1).roundedUp(to: StorageLedger.dayLength)
        untilTomorrow = Int(midnight.milliseconds - now.milliseconds)
        let today = Int(midnight.milliseconds / StorageLedger.dayLength) - 1
        guard today != day else { return }
        day = today
        accounts.removeAll()
    }

    /// Whether what the database says of the user today is to be loaded first.
    package func needsLoading(_ user: UserID) -> Bool { accounts[user] == nil }

    package mutating func load(_ user: UserID, stored: Int) { accounts[user] = Account(used: stored, stored: stored) }

    /// - Throws: `rate_limited` where so much more would be more than a day's.
    package func checkRoom(for bytes: Int, of user: UserID) throws(Rejection) {
        let used = used(by: user)
        guard used <= limit, bytes <= limit - used else {
            throw Rejection(
                .rateLimited, "You have stored as much as a user may in a day; tomorrow there is room again.",
                retryAfterMilliseconds: untilTomorrow)
        }
    }

    /// Counts what the transaction under way stores for a user. It does not refuse: see `checkRoom`.
    package mutating func charge(_ bytes: Int, to user: UserID) {
        let (sum, overflow) = charges[user, default: 0].addingReportingOverflow(bytes)
        charges[user] = overflow ? .max : sum
    }

    /// The numbers that the transaction under way has to write: those that what was counted has come up to.
    package var dueNumbers: [(user: UserID, bytes: Int)] {
        charges.keys.compactMap { user in
            let used = used(by: user)
            guard used > accounts[user]?.stored ?? 0 else { return nil }
            let (ahead, overflow) = ((used - 1) / step + 1).multipliedReportingOverflow(by: step)
            return (user, overflow ? used : ahead)
        }
    }

    /// The transaction was committed, with the numbers that were due.
    package mutating func recordCommit() {
        let due = Dictionary(uniqueKeysWithValues: dueNumbers.map { ($0.user, $0.bytes) })
        for user in charges.keys {
            accounts[user] = Account(used: used(by: user), stored: due[user] ?? accounts[user]?.stored ?? 0)
        }
        charges.removeAll(keepingCapacity: true)
    }

    /// What was committed and what is charged, together.
    private func used(by user: UserID) -> Int {
        let (sum, overflow) = (accounts[user]?.used ?? 0).addingReportingOverflow(charges[user] ?? 0)
        return overflow ? .max : sum
    }
}

/// What is counted for something that is kept, in bytes: what its user has chosen of it, and something for its rows and
/// their places in indexes, so that the count bounds how many there are.
package enum StorageCost {
    /// A row of the log, a report or a membership.
    package static let row = 512

    /// What is kept of the decision whether to notify somebody of a message, and of what was sent, for each who may be
    /// to be notified: for some days.
    package static let notification = row / 2

    /// A challenge, its two sides, and their places in indexes.
    package static let challenge = row * 4

    /// A conversation's own row counts four times: of each the broker keeps an event, too.
    package static func conversation(members: Int) -> Int { row * (4 + members) }

    /// A group, its conversation, and its creator in it.
    package static let group = row + conversation(members: 1)

    /// Members that are put into a group: for each a membership, and a record of it.
    package static func members(_ count: Int) -> Int { row * 2 * count }
}

extension MessageRecord {
    /// What is counted for keeping it, in bytes.
    package var storageCost: Int {
        StorageCost.row + (content?.count ?? 0) + (nonce?.count ?? 0) + (recipientKeysJSON?.count ?? 0)
            + (systemJSON?.count ?? 0)
    }
}

extension Report {
    /// What is counted for keeping it, in bytes.
    package var storageCost: Int {
        StorageCost.row + reason.utf8.count + (message?.count ?? 0) + (evidence?.count ?? 0)
    }
}

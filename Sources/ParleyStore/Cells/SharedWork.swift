/// Work that time brings, and that every gateway on a database finds there: one of them does it at a time.
///
/// A number once given is never given to other work: gateways of two versions run side by side.
package enum SharedWork: Int, CaseIterable, Sendable {
    case keyChanges = 1
    case challenges = 2
    case accountExpiry = 3
    case accountRemovals = 4
    case expiry = 5
    case feedRemovals = 6
    case challengeRemovals = 7
    case workoutRemovals = 8
    case limitRemovals = 9
    case storedBytesRemovals = 10
    case info = 11
    case boards = 12
    case lostSessions = 13
    case blobRemovals = 14
    case erasures = 15
    case retention = 16
}

extension WriteTransaction {
    /// Claims work until the transaction ends; `false` where another gateway has claimed it. A database file has one
    /// gateway, which does all of it.
    package func claim(_ work: SharedWork) throws(StoreError) -> Bool { try database.claim(work) }
}

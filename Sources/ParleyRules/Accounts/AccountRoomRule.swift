import ParleyProtocol

/// Decides whether there is room for the work that a request needs.
package enum AccountRoomRule {
    /// Passwords that wait to be hashed: some seconds' work.
    package static let mostWaiting = 32
    /// The same of one site, so that strangers of one site do not keep out all others.
    package static let mostWaitingOfSite = 8
    /// Identity tokens that wait or are being checked.
    package static let mostChecks = 64
    private static let pauseWhenFull = 2000

    /// - Parameters:
    ///   - isCheck: whether an identity token is checked first; otherwise a password is hashed.
    ///   - waitingOfSite: 0 for a device that is signed in: it is of no site.
    /// - Throws: `rate_limited`
    package static func decide(isCheck: Bool, waiting: Int, waitingOfSite: Int, checks: Int) throws(Rejection) {
        let hasRoom =
            isCheck
            ? checks < mostChecks : waiting < mostWaiting && waitingOfSite < mostWaitingOfSite
        guard hasRoom else {
            throw Rejection(
                .rateLimited, "Too many people sign in at once; wait a little.", retryAfterMilliseconds: pauseWhenFull)
        }
    }
}

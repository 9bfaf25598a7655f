import Logging
import ParleyProtocol
import ParleyStore

/// What the broker's plugin has reported of new tokens that have signed in, until it is on disk.
struct PendingTokenUses {
    private(set) var tokens: [DeviceAddress: TokenID] = [:]
    /// Not before, after a failure: a full disk is not asked all the time.
    private var nextAt = ContinuousClock.now

    mutating func add(_ uses: [TokenUse]) {
        for use in uses { tokens[use.device] = use.token }
    }

    func isDue(now: ContinuousClock.Instant) -> Bool { !tokens.isEmpty && now >= nextAt }

    mutating func recordCommit() { tokens.removeAll() }

    mutating func recordFailure(now: ContinuousClock.Instant) { nextAt = now.advanced(by: .seconds(1)) }
}

extension Writer {
    /// Ends the old tokens of devices that have signed in with the new ones, and with them what they have signed in.
    ///
    /// In a transaction of its own: it comes before the requests of whoever has just signed in, and cannot hold them up.
    func endPreviousTokens(now: ContinuousClock.Instant, at time: Timestamp) -> Effects {
        guard tokenUses.isDue(now: now) else { return Effects() }
        do throws(StoreError) {
            let tokens = tokenUses.tokens
            let (_, effects) = try write(now: time) { batch throws(StoreError) in
                for (device, token) in tokens
                where try batch.writable().tokens.endPrevious(of: device, by: token.value) {
                    try batch.announceStatus(of: device)
                }
            }
            tokenUses.recordCommit()
            return effects
        } catch {
            report.add("the end of an old token could not be written", error)
            tokenUses.recordFailure(now: now)
            return Effects()
        }
    }
}

import LyingGateway

// What is known of lies that have their way. Whatever is not named here must fail, and the person must be told of it.

extension Play {
    /// Nobody can see it: it is all that the client ever hears of somebody whom it has never met. Comparing the numbers
    /// shows it.
    var cannotBeSeen: Bool {
        guard moment == .beforeFirstContact else { return false }
        switch lie {
        case .keys(.otherAccount), .keys(.accountGone), .keys(.accountGoneWithGhost), .keys(.accountAppears),
            .keys(.accountMalformed), .keys(.olderKeysUnderOlderCertificate):
            return true
        case .keys(.ghost), .keys(.otherIdentity), .refusal(.namesGhost), .refusal(.leavesOutHonest):
            return scene == .uncertified
        default: return false
        }
    }

    /// Nor does the number show it: the account key is the true one, and has certified the keys before they were
    /// stolen.
    var isHiddenByNumber: Bool { lie == .keys(.olderKeysUnderOlderCertificate) }

    /// The gateway decides who is in a group: the person is told, and what is sent from then on is for the new one too.
    var isDecidedByGateway: Bool { lie == .conversation(.strangerJoinsGroup) }
}

import LyingGateway

// What is known of lies that have their way. Whatever is not named here must fail, and the person must be told of it.

extension Play {
    /// Lies that have their way still. Each mend takes some out; what is left when all is mended is nothing.
    static let knownToSucceed: [Lie.Moment: Set<Lie>] = [
        .beforeFirstContact: listed.union(listedOnce).union(ghosts)
            .union([.keys(.ownGhost), .keys(.ownGhostCertifiedByAnotherAccount), .keys(.ownAccountClaimed)])
            .union([.keys(.keysOfAnotherUser)]),
        .betweenSends: listedOnce.union(ghosts)
            .union([.keys(.ownGhost), .keys(.ownGhostCertifiedByAnotherAccount), .keys(.ownAccountClaimed)])
            .union([.keys(.accountGoneWithGhost), .keys(.decoysThenOtherIdentity), .keys(.keysOfAnotherUser)]),
        .beforeAccepting: listed.union(listedOnce).union(ghosts)
            .union([
                .keys(.otherAccount), .keys(.accountGone), .keys(.accountGoneWithGhost), .keys(.accountAppears),
                .keys(.accountMalformed), .keys(.comparedIsNotFetched), .keys(.keysOfAnotherUser),
            ]),
    ]

    /// The phone under another key.
    private static let listed: Set<Lie> = [
        .keys(.otherIdentity), .keys(.otherIdentityUnderOldCertificate), .keys(.otherIdentityCertifiedByAnotherAccount),
    ]

    /// A device more.
    private static let listedOnce: Set<Lie> = [
        .keys(.ghost), .keys(.ghostCertifiedByAnotherAccount), .keys(.ghostUnderCertificateOfAnotherUser),
        .keys(.ghostUnderCertificateOfAnotherDevice), .keys(.ghostCertifiedByItself),
        .keys(.ghostUnderDamagedCertificate),
    ]

    /// A device more, with something else that calls for it.
    private static let ghosts: Set<Lie> = [
        .refusal(.namesGhost), .refusal(.leavesOutHonest), .event(.keysChanged), .event(.deviceRevoked),
        .event(.deviceAdded), .event(.linkOffered), .event(.linkApproved), .sender(.ghostSpeaks),
        .sender(.ownGhostSpeaks),
    ]

    var isKnownToSucceed: Bool { Play.knownToSucceed[moment]?.contains(lie) == true }

    /// Lies that fail, and of which nobody is told at once.
    var isKnownToBeSilent: Bool {
        switch lie {
        // The listing cannot be read, and is asked for again and again.
        case .keys(.ghostUnderTruncatedCertificate): true
        // Told when the message is set aside, after eight refusals, the last of them half a minute after the first.
        case .refusal(.namesStranger), .refusal(.withoutEnd): true
        case .conversation, .keys, .refusal, .event, .sender, .endless: false
        }
    }

    /// Nobody can see it: it is all that the client ever hears of somebody whom it has never met. Comparing the numbers shows
    /// it.
    var cannotBeSeen: Bool {
        guard moment == .beforeFirstContact else { return false }
        switch lie {
        case .keys(.otherAccount), .keys(.accountGone), .keys(.accountGoneWithGhost), .keys(.accountAppears),
            .keys(.accountMalformed), .keys(.olderKeysUnderOlderCertificate):
            return true
        case .keys(.ghost), .keys(.otherIdentity), .refusal(.namesGhost), .refusal(.leavesOutHonest):
            return scene == .uncertified
        case .conversation, .keys, .refusal, .event, .sender, .endless: return false
        }
    }

    /// The gateway decides who is in a group: the person is told, and what is sent from then on is for the new one too.
    var isDecidedByGateway: Bool { lie == .conversation(.strangerJoinsGroup) }
}

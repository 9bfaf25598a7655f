import ParleyCrypto
import ParleyProtocol

/// Lies about whose keys are whose.
package enum KeyLie: String, LieFamily {
    case ghost, ghostCertifiedByAnotherAccount, ghostUnderCertificateOfAnotherUser
    case ghostUnderCertificateOfAnotherDevice, ghostCertifiedByItself, ghostUnderTruncatedCertificate
    case ghostUnderDamagedCertificate
    case ownGhost, ownGhostCertifiedByAnotherAccount, ownAccountClaimed
    case otherIdentity, otherIdentityUnderOldCertificate, otherIdentityCertifiedByAnotherAccount
    case olderKeysUnderOlderCertificate
    case otherAccount, accountGone, accountGoneWithGhost, accountAppears, accountMalformed
    case decoysThenOtherIdentity, removedThenOtherIdentity, comparedIsNotFetched, keysOfAnotherUser

    package var sentence: String {
        switch self {
        case .ghost: "keys/get lists one device more, which nobody has certified"
        case .ghostCertifiedByAnotherAccount: "keys/get lists one device more, certified by another account key"
        case .ghostUnderCertificateOfAnotherUser:
            "keys/get lists one device more, under a certificate of mallory's device"
        case .ghostUnderCertificateOfAnotherDevice: "keys/get lists one device more, under the certificate of the phone"
        case .ghostCertifiedByItself: "keys/get lists one device more, certified by its own signing key"
        case .ghostUnderTruncatedCertificate: "keys/get lists one device more, with half a certificate"
        case .ghostUnderDamagedCertificate: "keys/get lists one device more, certified but for one bit"
        case .ownGhost: "keys/get lists one device more of the user's own, which nobody has linked"
        case .ownGhostCertifiedByAnotherAccount:
            "keys/get lists one device more of the user's own, certified by mallory"
        case .ownAccountClaimed:
            "keys/get says that the user's own account key is another, which has certified a device"
        case .otherIdentity: "the phone has another identity key, which nobody has certified"
        case .otherIdentityUnderOldCertificate:
            "the phone has another identity key under the certificate of the true one"
        case .otherIdentityCertifiedByAnotherAccount: "the phone has another identity key, certified by another account"
        case .olderKeysUnderOlderCertificate:
            "the phone has the keys that were stolen from it, under their old certificate"
        case .otherAccount: "the account key is another, and has certified the phone with another identity key"
        case .accountGone: "there is no account key any more, and the phone has another identity key"
        case .accountGoneWithGhost: "there is no account key any more, and one device more"
        case .accountAppears: "somebody without an account key has one now, which has certified another phone"
        case .accountMalformed: "the account key is no point of the curve, and the phone has another identity key"
        case .decoysThenOtherIdentity:
            "128 devices without the phone are listed, then one, then the phone with another identity key"
        case .removedThenOtherIdentity: "the phone is gone, and comes back with another identity key"
        case .comparedIsNotFetched: "the first listing is the true one, every later one has another identity key"
        case .keysOfAnotherUser: "keys/get answers with mallory's keys, and says that they are mallory's"
        }
    }

    package var moments: [Lie.Moment] {
        switch self {
        case .ownGhost, .ownGhostCertifiedByAnotherAccount, .ownAccountClaimed, .olderKeysUnderOlderCertificate:
            [.beforeFirstContact, .betweenSends]
        case .decoysThenOtherIdentity, .removedThenOtherIdentity: [.betweenSends]
        case .comparedIsNotFetched: [.beforeAccepting]
        case .ghost, .ghostCertifiedByAnotherAccount, .ghostUnderCertificateOfAnotherUser,
            .ghostUnderCertificateOfAnotherDevice, .ghostCertifiedByItself, .ghostUnderTruncatedCertificate,
            .ghostUnderDamagedCertificate, .otherIdentity, .otherIdentityUnderOldCertificate,
            .otherIdentityCertifiedByAnotherAccount, .otherAccount, .accountGone, .accountGoneWithGhost,
            .accountAppears, .accountMalformed, .keysOfAnotherUser:
            [.beforeFirstContact, .betweenSends, .beforeAccepting]
        }
    }

    package var scenes: [Lie.Scene] {
        switch self {
        case .ghost, .otherIdentity, .decoysThenOtherIdentity, .removedThenOtherIdentity, .comparedIsNotFetched,
            .keysOfAnotherUser:
            [.certified, .uncertified]
        case .accountAppears: [.uncertified]
        case .ghostCertifiedByAnotherAccount, .ghostUnderCertificateOfAnotherUser,
            .ghostUnderCertificateOfAnotherDevice, .ghostCertifiedByItself, .ghostUnderTruncatedCertificate,
            .ghostUnderDamagedCertificate, .ownGhost, .ownGhostCertifiedByAnotherAccount, .ownAccountClaimed,
            .otherIdentityUnderOldCertificate, .otherIdentityCertifiedByAnotherAccount,
            .olderKeysUnderOlderCertificate, .otherAccount, .accountGone, .accountGoneWithGhost, .accountMalformed:
            [.certified]
        }
    }

    /// Whether it is about the devices of whoever asks.
    var isAboutOneself: Bool {
        switch self {
        case .ownGhost, .ownGhostCertifiedByAnotherAccount, .ownAccountClaimed: true
        case .ghost, .ghostCertifiedByAnotherAccount, .ghostUnderCertificateOfAnotherUser,
            .ghostUnderCertificateOfAnotherDevice, .ghostCertifiedByItself, .ghostUnderTruncatedCertificate,
            .ghostUnderDamagedCertificate, .otherIdentity, .otherIdentityUnderOldCertificate,
            .otherIdentityCertifiedByAnotherAccount, .olderKeysUnderOlderCertificate, .otherAccount, .accountGone,
            .accountGoneWithGhost, .accountAppears, .accountMalformed, .decoysThenOtherIdentity,
            .removedThenOtherIdentity, .comparedIsNotFetched, .keysOfAnotherUser:
            false
        }
    }

    /// So many listings it takes until it is told whole.
    package var listings: Int {
        switch self {
        case .decoysThenOtherIdentity: 3
        case .removedThenOtherIdentity: 2
        case .comparedIsNotFetched, .ghost, .ghostCertifiedByAnotherAccount, .ghostUnderCertificateOfAnotherUser,
            .ghostUnderCertificateOfAnotherDevice, .ghostCertifiedByItself, .ghostUnderTruncatedCertificate,
            .ghostUnderDamagedCertificate, .ownGhost, .ownGhostCertifiedByAnotherAccount, .ownAccountClaimed,
            .otherIdentity, .otherIdentityUnderOldCertificate, .otherIdentityCertifiedByAnotherAccount,
            .olderKeysUnderOlderCertificate, .otherAccount, .accountGone, .accountGoneWithGhost, .accountAppears,
            .accountMalformed, .keysOfAnotherUser:
            1
        }
    }
}

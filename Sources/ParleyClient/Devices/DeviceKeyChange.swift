import ParleyCrypto
import ParleyProtocol
import Sodium

/// What is to become of a device's keys. A store carries it out under its lock, on the keys as they are then.
public struct DeviceKeyChange: Sendable {
    enum Kind: Sendable {
        case rotate
        case makeAccount
        case establish(AccountKey)
        case giveUp(AccountKey)
        case adopt(AccountSecret, DeviceCertificate?)
    }

    let kind: Kind

    /// A new identity key in place of the current one, which is retired and kept for old messages. The signing key and
    /// the storage key stay. A device with the account's secret certifies the new key; any other is to be linked anew.
    public static let rotation = DeviceKeyChange(kind: .rotate)

    /// A new account key for the user, which certifies this device. Nothing where an account key has certified it
    /// already.
    package static let newAccount = DeviceKeyChange(kind: .makeAccount)

    /// The gateway has accepted the account key: it is given up no more.
    package static func established(_ key: AccountKey) -> DeviceKeyChange { DeviceKeyChange(kind: .establish(key)) }

    /// Another device of the user's has made the account key: the one that was made here, and that nobody has seen,
    /// goes. Nothing where it was established.
    package static func givingUp(_ key: AccountKey) -> DeviceKeyChange { DeviceKeyChange(kind: .giveUp(key)) }

    /// The account's secret, which another device of the user's or a backup has handed over, in place of what was
    /// there.
    ///
    /// - Parameter certificate: for the device's current keys; `nil`, or one that is not the account's for them, to
    ///   have the device certify itself.
    package static func adopting(_ account: AccountSecret, _ certificate: DeviceCertificate?) -> DeviceKeyChange {
        DeviceKeyChange(kind: .adopt(account, certificate))
    }
}

extension DeviceKeySet {
    /// The same keys with a change made; `nil` where no more can be retired.
    ///
    /// - Parameter now: noted as the time of retirement and in certificates.
    package func applying(_ change: DeviceKeyChange, now: Timestamp) throws(SodiumError) -> DeviceKeySet? {
        switch change.kind {
        case .rotate:
            return try rotated(now: now)
        case .makeAccount:
            guard accountKey == nil else { return self }
            return try holding(.generate(), isEstablished: false, now: now)
        case .establish(let key):
            guard case .holder(let secret, let certificate, false) = status, secret.publicKey == key else {
                return self
            }
            return try with(.holder(secret, certificate, isEstablished: true))
        case .giveUp(let key):
            return status.isProposed && accountKey == key ? try with(.unlinked) : self
        case .adopt(let account, let certificate):
            if let certificate,
                account.publicKey.hasCertified(
                    device, identityKey: identityKey.bytes, signingKey: signingPublicKey, certificate)
            {
                return try with(.holder(account, certificate, isEstablished: true))
            }
            let previous = accountKey == account.publicKey ? status.certificate?.issuedAt : nil
            return try holding(account, isEstablished: true, after: previous, now: now)
        }
    }

    private func rotated(now: Timestamp) throws(SodiumError) -> DeviceKeySet? {
        guard retired.count < DeviceKeySet.maximumRetired else { return nil }
        let rotated = try DeviceKeySet(
            of: device, identity: .generate(), retired: [RetiredIdentity(keys: identity, retiredAt: now)] + retired,
            signingSeed: signingSeed, storageKey: storageKey)
        guard case .holder(let secret, let certificate, let isEstablished) = status else { return rotated }
        return try rotated.holding(secret, isEstablished: isEstablished, after: certificate.issuedAt, now: now)
    }

    /// The same, certified by this account.
    ///
    /// - Parameter previous: when the certificate before was issued. The new one is later, whatever the clock says.
    private func holding(
        _ account: AccountSecret, isEstablished: Bool, after previous: Timestamp? = nil, now: Timestamp
    ) throws(SodiumError) -> DeviceKeySet {
        let issuedAt = max(now, previous?.advanced(byMilliseconds: 1) ?? now)
        let certificate = try account.certify(
            device, identityKey: identityKey.bytes, signingKey: signingPublicKey, at: issuedAt)
        return try with(.holder(account, certificate, isEstablished: isEstablished))
    }

    private func with(_ status: AccountStatus) throws(SodiumError) -> DeviceKeySet {
        try DeviceKeySet(
            of: device, identity: identity, retired: retired, signingSeed: signingSeed, storageKey: storageKey,
            status: status)
    }
}

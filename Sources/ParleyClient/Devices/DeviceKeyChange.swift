import ParleyCrypto
import ParleyProtocol
import Sodium

/// A change of a device's keys. A store applies it under its lock to the keys as they are then.
public struct DeviceKeyChange: Sendable {
    enum Kind: Sendable {
        case rotate
        case makeAccount
        case establish(AccountKey)
        case giveUp(AccountKey)
        case adopt(AccountSecret, DeviceCertificate?)
    }

    let kind: Kind

    /// Replaces the identity key; the old one is retired and kept for old messages. The signing key and the storage key
    /// stay. A device with the account's secret certifies the new key; any other has to be linked again.
    public static let rotation = DeviceKeyChange(kind: .rotate)

    /// Makes an account key, which certifies this device, unless an account key has certified it already.
    package static let newAccount = DeviceKeyChange(kind: .makeAccount)

    /// The gateway has accepted the account key, which is no longer only proposed.
    package static func established(_ key: AccountKey) -> DeviceKeyChange { DeviceKeyChange(kind: .establish(key)) }

    /// Another device of the user was first to make an account key: drops the one that was proposed here. An
    /// established key stays.
    package static func givingUp(_ key: AccountKey) -> DeviceKeyChange { DeviceKeyChange(kind: .giveUp(key)) }

    /// Adopts the account's secret from another device or a backup.
    ///
    /// - Parameter certificate: for the device's current keys; without a valid one the device certifies itself.
    package static func adopting(_ account: AccountSecret, _ certificate: DeviceCertificate?) -> DeviceKeyChange {
        DeviceKeyChange(kind: .adopt(account, certificate))
    }
}

extension DeviceKeySet {
    /// The keys after a change; `nil` if no more keys can be retired.
    ///
    /// - Parameter now: the time of retirement and of certificates.
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

    /// The keys, certified by this account.
    ///
    /// - Parameter previous: the time of the previous certificate; the new one is later, whatever the clock says.
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

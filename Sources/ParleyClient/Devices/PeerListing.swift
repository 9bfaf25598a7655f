import ParleyCrypto
import ParleyProtocol
import Sodium

/// What a gateway lists of a user (`keys/get`), as far as it can be judged without knowing the user: which keys can be
/// used, and which of them the account key that is listed beside them has certified.
struct PeerListing: Hashable, Sendable {
    /// How many devices of a listing are looked at: what a message can be sealed for (protocol §4).
    static let maximumDevices = Limits.recipientKeys

    /// `nil` where there is none, or none that can be used.
    let account: AccountKey?
    let devices: [DeviceID: PublishedDevice]

    /// Those that can be used, by their keys.
    var usableKeys: [DeviceID: IdentityKey] { devices.compactMapValues(\.usableKey) }
}

extension PeerListing {
    /// - Parameter owner: the device that looks, which is no peer of its own, whatever is listed of it.
    init(_ keys: UserKeys, besides owner: DeviceAddress) {
        let account = keys.accountKey.flatMap { AccountKey($0) }
        var devices: [DeviceID: PublishedDevice] = [:]
        let others = keys.devices.lazy.filter { DeviceAddress(user: keys.user, device: $0.device) != owner }
        for published in others.prefix(PeerListing.maximumDevices) {
            let device = PublishedDevice(published, of: keys.user, account)
            devices[published.device] = devices[published.device]?.merged(with: device) ?? device
        }
        self.init(account: account, devices: devices)
    }
}

/// What is listed of one device.
struct PublishedDevice: Hashable, Sendable {
    enum Key: Hashable, Sendable {
        case usable(IdentityKey)
        /// Named all the same: the gateway compares the names of keys.
        case unusable(UnusableKeyError, KeyID?)
    }

    let key: Key
    /// When the account key that is listed has certified it; `nil` if it has not.
    let certifiedAt: Timestamp?

    var usableKey: IdentityKey? {
        if case .usable(let key) = key { key } else { nil }
    }

    /// Of the key that is published; `nil` where there was no memory to compute it.
    var keyID: KeyID? {
        switch key {
        case .usable(let key): key.id
        case .unusable(_, let id): id
        }
    }

}

extension PublishedDevice {
    fileprivate init(_ published: DeviceKeys, of user: UserID, _ account: AccountKey?) {
        do throws(UnusableKeyError) {
            let isCertified = account?.hasCertified(published, of: user) == true
            self.init(
                key: .usable(try published.verifiedIdentityKey(of: user)),
                certifiedAt: isCertified ? published.certificate?.issuedAt : nil)
        } catch {
            self.init(key: .unusable(error, KeyID(naming: published.identityKey)), certifiedAt: nil)
        }
    }

    /// Of a device that is listed twice the keys count that were certified later; where that does not decide, none do.
    fileprivate func merged(with other: PublishedDevice) -> PublishedDevice {
        if key == other.key || certifiedAt != other.certifiedAt {
            return (certifiedAt ?? .earliest) >= (other.certifiedAt ?? .earliest) ? self : other
        }
        return PublishedDevice(key: .unusable(.listedTwice, keyID), certifiedAt: nil)
    }
}

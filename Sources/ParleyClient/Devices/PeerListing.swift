import ParleyCrypto
import ParleyProtocol

/// A gateway's list of a user's keys (`keys/get`), judged by itself: which keys are usable, and which of them the
/// listed account key has certified.
struct PeerListing: Hashable, Sendable {
    /// The most devices that are read: as many as a message can be sealed for (protocol §4).
    static let maximumDevices = Limits.recipientKeys

    /// `nil` if there is none, or it is unusable.
    let account: AccountKey?
    let devices: [DeviceID: PublishedDevice]

    var usableKeys: [DeviceID: IdentityKey] { devices.compactMapValues(\.usableKey) }
}

extension PeerListing {
    /// - Parameter owner: this device, which is left out.
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

struct PublishedDevice: Hashable, Sendable {
    enum Key: Hashable, Sendable {
        case usable(IdentityKey)
        /// Its id still has to be named: the gateway compares key ids.
        case unusable(UnusableKeyError, KeyID?)
    }

    let key: Key
    /// The time of its certificate by the listed account key, if any.
    let certifiedAt: Timestamp?

    var usableKey: IdentityKey? {
        if case .usable(let key) = key { key } else { nil }
    }

    /// `nil` if there was no memory to compute it.
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

    /// Of two entries of one device the later certificate counts; without one, neither.
    fileprivate func merged(with other: PublishedDevice) -> PublishedDevice {
        if key == other.key || certifiedAt != other.certifiedAt {
            return (certifiedAt ?? .earliest) >= (other.certifiedAt ?? .earliest) ? self : other
        }
        return PublishedDevice(key: .unusable(.listedTwice, keyID), certifiedAt: nil)
    }
}

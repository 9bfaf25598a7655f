import ParleyCrypto
import ParleyProtocol

/// The encoding of a book, version 2: for each user the id, flags, the pinned account key, the pinned devices, and the
/// listing.
///
///     a pin      id, flags, certified at (8), number of older keys, the key, the older ones
///     a listing  account key (32); number of devices; each: id, form, then by its form
///                0  key (32)
///                1  key (32), certified at (8)
///                2  fault, id of the key (8), zero where there was none
extension PeerKeyBook {
    /// The version that is written.
    static let codingVersion: UInt8 = 2

    var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.number(UInt64(users.count), bytes: 4)
        for (user, peer) in users.sorted(by: { $0.key < $1.key }) {
            writer.id(user)
            peer.write(to: &writer)
        }
        return writer.bytes
    }

    /// - Parameter version: 1 or 2.
    /// - Returns: `nil` for invalid data.
    init?(parsing bytes: [UInt8], version: UInt8 = PeerKeyBook.codingVersion, of owner: DeviceAddress) {
        var reader = ByteReader(bytes)
        guard let count = reader.number(bytes: 4) else { return nil }
        var users: [UserID: PeerUser] = [:]
        for _ in 0..<count {
            guard let user = reader.id(UserID.self),
                let peer = version == 1 ? PeerUser(readingVersion1: &reader) : PeerUser(reading: &reader),
                users.updateValue(peer, forKey: user) == nil
            else { return nil }
        }
        guard reader.isAtEnd else { return nil }
        self.init(of: owner, users: users)
    }
}

private enum UserFlag {
    static let anchor: UInt8 = 1
    static let isVerified: UInt8 = 2
    static let listing: UInt8 = 4
    static let listedAccount: UInt8 = 8
    static let all: UInt8 = 15
}

private enum ListedForm: UInt8 {
    case uncertified = 0
    case certified = 1
    case unusable = 2
}

extension PeerUser {
    fileprivate func write(to writer: inout ByteWriter) {
        var flags: UInt8 = 0
        if anchor != nil { flags |= UserFlag.anchor }
        if isVerified { flags |= UserFlag.isVerified }
        if listing != nil { flags |= UserFlag.listing }
        if listing?.account != nil { flags |= UserFlag.listedAccount }
        writer.byte(flags)
        if let anchor { writer.bytes(anchor.bytes) }
        writer.number(UInt64(pins.count), bytes: 2)
        for (id, pin) in pins.sorted(by: { $0.key < $1.key }) {
            writer.id(id)
            pin.write(to: &writer)
        }
        guard let listing else { return }
        if let account = listing.account { writer.bytes(account.bytes) }
        writer.number(UInt64(listing.devices.count), bytes: 2)
        for (id, device) in listing.devices.sorted(by: { $0.key < $1.key }) {
            writer.id(id)
            device.write(to: &writer)
        }
    }

    fileprivate init?(reading reader: inout ByteReader) {
        guard let flags = reader.byte(), flags & ~UserFlag.all == 0 else { return nil }
        var anchor: AccountKey?
        if flags & UserFlag.anchor != 0 {
            anchor = reader.accountKey()
            guard anchor != nil else { return nil }
        }
        guard let count = reader.number(bytes: 2), count <= PeerUser.maximumPins else { return nil }
        var pins: [DeviceID: PeerPin] = [:]
        for _ in 0..<count {
            guard let id = reader.id(DeviceID.self), let pin = PeerPin(reading: &reader),
                pins.updateValue(pin, forKey: id) == nil
            else { return nil }
        }
        var listing: PeerListing?
        if flags & UserFlag.listing != 0 {
            listing = PeerListing(reading: &reader, hasAccount: flags & UserFlag.listedAccount != 0)
            guard listing != nil else { return nil }
        } else if flags & UserFlag.listedAccount != 0 {
            return nil
        }
        self.init(anchor: anchor, isVerified: flags & UserFlag.isVerified != 0, pins: pins, listing: listing)
    }
}

extension PeerPin {
    fileprivate func write(to writer: inout ByteWriter) {
        writer.byte(certifiedAt == nil ? 0 : 1)
        if let time = certifiedAt { writer.time(time) }
        writer.byte(UInt8(truncatingIfNeeded: older.count))
        for key in [key] + older { writer.bytes(key.bytes) }
    }

    fileprivate init?(reading reader: inout ByteReader) {
        guard let flags = reader.byte(), flags <= 1 else { return nil }
        var certifiedAt: Timestamp?
        if flags == 1 {
            certifiedAt = reader.time()
            guard certifiedAt != nil else { return nil }
        }
        guard let keys = reader.pinnedKeys() else { return nil }
        self.init(kept: keys.key, older: keys.older, certifiedAt: certifiedAt)
    }
}

extension PeerListing {
    fileprivate init?(reading reader: inout ByteReader, hasAccount: Bool) {
        var account: AccountKey?
        if hasAccount {
            account = reader.accountKey()
            guard account != nil else { return nil }
        }
        guard let count = reader.number(bytes: 2), count <= PeerListing.maximumDevices else { return nil }
        var devices: [DeviceID: PublishedDevice] = [:]
        for _ in 0..<count {
            guard let id = reader.id(DeviceID.self), let device = PublishedDevice(reading: &reader),
                hasAccount || device.certifiedAt == nil, devices.updateValue(device, forKey: id) == nil
            else { return nil }
        }
        self.init(account: account, devices: devices)
    }
}

extension PublishedDevice {
    fileprivate func write(to writer: inout ByteWriter) {
        switch (key, certifiedAt) {
        case (.usable(let key), nil):
            writer.byte(ListedForm.uncertified.rawValue)
            writer.bytes(key.bytes)
        case (.usable(let key), let time?):
            writer.byte(ListedForm.certified.rawValue)
            writer.bytes(key.bytes)
            writer.time(time)
        case (.unusable(let fault, let id), _):
            writer.byte(ListedForm.unusable.rawValue)
            writer.byte(fault.rawValue)
            writer.bytes(id?.bytes ?? [UInt8](repeating: 0, count: KeyID.length))
        }
    }

    fileprivate init?(reading reader: inout ByteReader) {
        guard let form = reader.byte().flatMap(ListedForm.init(rawValue:)) else { return nil }
        switch form {
        case .uncertified:
            guard let key = reader.identityKey() else { return nil }
            self.init(key: .usable(key), certifiedAt: nil)
        case .certified:
            guard let key = reader.identityKey(), let time = reader.time() else { return nil }
            self.init(key: .usable(key), certifiedAt: time)
        case .unusable:
            guard let fault = reader.byte().flatMap(UnusableKeyError.init(rawValue:)), fault.isOfListing,
                let id = reader.bytes(count: KeyID.length)
            else { return nil }
            self.init(key: .unusable(fault, id.contains { $0 != 0 } ? KeyID(id) : nil), certifiedAt: nil)
        }
    }
}

extension UnusableKeyError {
    /// Whether it follows from a listing alone, without knowledge of the user.
    fileprivate var isOfListing: Bool {
        switch self {
        case .weakKey, .badSignature, .listedTwice: true
        case .uncertified, .outdated, .tooManyDevices: false
        }
    }
}

extension ByteWriter {
    fileprivate mutating func time(_ time: Timestamp) { number(UInt64(bitPattern: time.milliseconds), bytes: 8) }
}

extension ByteReader {
    mutating func identityKey() -> IdentityKey? { bytes(count: IdentityKey.length).flatMap(IdentityKey.init) }

    mutating func time() -> Timestamp? {
        number(bytes: 8).map { Timestamp(milliseconds: Int64(bitPattern: $0)) }
    }

    /// Not checked again: the file is sealed.
    fileprivate mutating func accountKey() -> AccountKey? {
        bytes(count: AccountKey.length).flatMap(AccountKey.init(kept:))
    }

    /// The number of older keys, the pinned key, and the older ones.
    mutating func pinnedKeys() -> (key: IdentityKey, older: [IdentityKey])? {
        guard let count = byte(), let key = identityKey() else { return nil }
        var older: [IdentityKey] = []
        for _ in 0..<count {
            guard let key = identityKey() else { return nil }
            older.append(key)
        }
        return (key, older)
    }
}

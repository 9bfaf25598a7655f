import ParleyCrypto
import ParleyProtocol

private enum DeviceFlag {
    static let isRemoved: UInt8 = 1
    static let isPending: UInt8 = 2
    static let all: UInt8 = 3
}

/// The encoding of a book in version 1, without account keys: for each user the number of devices, and each device's
/// id, flags, time of removal, pending key, pinned and older keys; then the number of ignored devices, each with a
/// reason. Only read.
extension PeerUser {
    /// A user without an account key: pins stay, and pending keys stay pending.
    init?(readingVersion1 reader: inout ByteReader) {
        guard let count = reader.number(bytes: 2) else { return nil }
        var pins: [DeviceID: PeerPin] = [:]
        var listed: [DeviceID: PublishedDevice] = [:]
        for _ in 0..<count {
            guard let id = reader.id(DeviceID.self), pins[id] == nil, let flags = reader.byte(),
                flags & ~DeviceFlag.all == 0
            else { return nil }
            let isRemoved = flags & DeviceFlag.isRemoved != 0
            if isRemoved { guard reader.time() != nil else { return nil } }
            var pending: IdentityKey?
            if flags & DeviceFlag.isPending != 0 {
                pending = reader.identityKey()
                guard pending != nil, !isRemoved else { return nil }
            }
            guard let keys = reader.pinnedKeys(),
                let pin = PeerPin(kept: keys.key, older: keys.older, certifiedAt: nil), pending != pin.key
            else { return nil }
            pins[id] = pin
            if !isRemoved { listed[id] = PublishedDevice(key: .usable(pending ?? pin.key), certifiedAt: nil) }
        }
        guard PeerUser.skipFaults(&reader), listed.count <= PeerListing.maximumDevices else { return nil }
        self.init(
            anchor: nil, isVerified: false, pins: pins, listing: PeerListing(account: nil, devices: listed))
    }

    /// Ignored devices are listed and reported again.
    private static func skipFaults(_ reader: inout ByteReader) -> Bool {
        guard let count = reader.number(bytes: 2) else { return false }
        for _ in 0..<count {
            guard reader.id(DeviceID.self) != nil, reader.byte() != nil else { return false }
        }
        return true
    }
}

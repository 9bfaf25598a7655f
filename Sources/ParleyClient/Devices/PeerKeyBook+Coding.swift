import ParleyCrypto
import ParleyProtocol

private enum PeerDeviceFlag {
    static let isRemoved: UInt8 = 1
    static let isPending: UInt8 = 2
}

/// How a book lies in its file once that is opened: for each user the id, how many devices are known and how many have
/// faults, then each device as its id, when it was removed, its pinned key, the one that waits and the older ones.
extension PeerKeyBook {
    var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.number(UInt64(users.count), bytes: 4)
        for (user, peer) in users.sorted(by: { $0.key < $1.key }) {
            writer.id(user)
            writer.number(UInt64(peer.devices.count), bytes: 2)
            for (device, known) in peer.devices.sorted(by: { $0.key < $1.key }) {
                writer.id(device)
                write(known, to: &writer)
            }
            writer.number(UInt64(peer.faults.count), bytes: 2)
            for (device, fault) in peer.faults.sorted(by: { $0.key < $1.key }) {
                writer.id(device)
                writer.byte(fault.rawValue)
            }
        }
        return writer.bytes
    }

    private func write(_ known: PeerDevice, to writer: inout ByteWriter) {
        let removed = known.removedAt == nil ? 0 : PeerDeviceFlag.isRemoved
        let pending = known.pending == nil ? 0 : PeerDeviceFlag.isPending
        writer.byte(removed | pending)
        if let time = known.removedAt { writer.number(UInt64(bitPattern: time.milliseconds), bytes: 8) }
        if let pending = known.pending { writer.bytes(pending.bytes) }
        writer.byte(UInt8(truncatingIfNeeded: known.older.count))
        for key in [known.pinned] + known.older { writer.bytes(key.bytes) }
    }

    /// - Returns: `nil` for what `encoded` does not write.
    init?(parsing bytes: [UInt8], of owner: DeviceAddress) {
        var reader = ByteReader(bytes)
        guard let count = reader.number(bytes: 4) else { return nil }
        var users: [UserID: PeerDevices] = [:]
        for _ in 0..<count {
            guard let user = reader.id(UserID.self), let peer = PeerDevices(reading: &reader),
                users.updateValue(peer, forKey: user) == nil
            else { return nil }
        }
        guard reader.isAtEnd else { return nil }
        self.init(of: owner, users: users)
    }
}

extension PeerDevices {
    fileprivate init?(reading reader: inout ByteReader) {
        guard let deviceCount = reader.number(bytes: 2) else { return nil }
        for _ in 0..<deviceCount {
            guard let id = reader.id(DeviceID.self), let device = PeerDevice(reading: &reader),
                devices.updateValue(device, forKey: id) == nil
            else { return nil }
        }
        guard let faultCount = reader.number(bytes: 2) else { return nil }
        for _ in 0..<faultCount {
            guard let id = reader.id(DeviceID.self), let fault = reader.byte().flatMap(PeerKeyFault.init(rawValue:)),
                faults.updateValue(fault, forKey: id) == nil
            else { return nil }
        }
    }
}

extension PeerDevice {
    fileprivate init?(reading reader: inout ByteReader) {
        guard let flags = reader.byte(), flags <= 3 else { return nil }
        var removedAt: Timestamp?
        if flags & PeerDeviceFlag.isRemoved != 0 {
            guard let time = reader.number(bytes: 8) else { return nil }
            removedAt = Timestamp(milliseconds: Int64(bitPattern: time))
        }
        var pending: IdentityKey?
        if flags & PeerDeviceFlag.isPending != 0 {
            guard let key = reader.identityKey() else { return nil }
            pending = key
        }
        guard let olderCount = reader.byte(), let pinned = reader.identityKey() else { return nil }
        var older: [IdentityKey] = []
        for _ in 0..<olderCount {
            guard let key = reader.identityKey() else { return nil }
            older.append(key)
        }
        self.init(keptAs: pinned, older: older, pending: pending, removedAt: removedAt)
    }
}

extension ByteReader {
    fileprivate mutating func identityKey() -> IdentityKey? {
        bytes(count: IdentityKey.length).flatMap(IdentityKey.init)
    }
}

/// The binary form of presence reports: a format byte, then each as its kind (8 bits) and its values. Numbers are
/// big-endian; ids have their length (8 bits) before them.
package enum PresenceCodec {
    /// In bytes.
    package static let maximumLength = 1 << 18
    /// The most bytes of a message that has more than one report.
    package static let usualLength = AudienceCodec.usualLength

    private static let format: UInt8 = 1

    private enum Kind: UInt8 {
        case begin = 1
        case everyone = 2
        case end = 3
        case online = 4
        /// As older plugins report it, without the time.
        case offline = 5
        case left = 6
    }

    /// The reports, in order, in as few messages as hold them.
    package static func messages(for reports: some Sequence<PresenceReport>) -> [[UInt8]] {
        packed(reports, format: format, usualLength: usualLength, encode: encode)
    }

    /// `nil` for a message with any fault.
    package static func reports(in message: [UInt8]) -> [PresenceReport]? {
        unpacked(message, format: format, maximumLength: maximumLength) { reader in
            reader.byte().flatMap(Kind.init).flatMap { report($0, &reader) }
        }
    }

    private static func encode(_ report: PresenceReport) -> [UInt8] {
        var writer = ByteWriter()
        switch report {
        case .begin(let broker, let count):
            writer.byte(Kind.begin.rawValue)
            writer.number(broker, bytes: 8)
            writer.number(UInt64(count), bytes: 4)
        case .everyone(let users):
            writer.byte(Kind.everyone.rawValue)
            let users = users.prefix(PresenceReport.usersInPart)
            writer.number(UInt64(users.count), bytes: 2)
            for user in users { writer.id(user) }
        case .end: writer.byte(Kind.end.rawValue)
        case .online(let user):
            writer.byte(Kind.online.rawValue)
            writer.id(user)
        case .offline(let user, let ago):
            writer.byte(Kind.left.rawValue)
            writer.id(user)
            writer.number(UInt64(ago), bytes: 4)
        }
        return writer.bytes
    }

    private static func report(_ kind: Kind, _ reader: inout ByteReader) -> PresenceReport? {
        switch kind {
        case .begin:
            guard let broker = reader.number(bytes: 8), let count = reader.number(bytes: 4) else { return nil }
            return .begin(broker: broker, count: UInt32(truncatingIfNeeded: count))
        case .everyone: return everyone(&reader)
        case .end: return .end
        case .online: return reader.id(UserID.self).map { .online($0) }
        case .offline: return reader.id(UserID.self).map { .offline($0) }
        case .left:
            guard let user = reader.id(UserID.self), let ago = reader.number(bytes: 4) else { return nil }
            return .offline(user, ago: UInt32(truncatingIfNeeded: ago))
        }
    }

    private static func everyone(_ reader: inout ByteReader) -> PresenceReport? {
        guard let count = reader.number(bytes: 2), count <= PresenceReport.usersInPart else { return nil }
        var users: [UserID] = []
        for _ in 0..<count {
            guard let user = reader.id(UserID.self) else { return nil }
            users.append(user)
        }
        return .everyone(users)
    }
}

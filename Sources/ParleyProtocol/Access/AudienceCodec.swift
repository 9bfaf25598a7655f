/// The binary form of audience changes: a format byte, then each change as its kind (8 bits), the length of its body
/// (32 bits) and the body. Numbers are big-endian; ids have their length (8 bits) before them.
package enum AudienceCodec {
    /// In bytes, below the broker's packet limit.
    package static let maximumLength = 1 << 20
    /// The most bytes of a message that has more than one change.
    package static let usualLength = 64 * 1024

    private static let format: UInt8 = 7

    /// The changes, in order, in as few messages as hold them.
    package static func messages(for changes: some Sequence<AudienceChange>) -> [[UInt8]] {
        packed(changes, format: format, usualLength: usualLength) { encode($0) }
    }

    /// A message without a change.
    package static let noChanges = [format]

    /// Every change of a message, or none: a message with any fault is refused as a whole.
    package static func changes(in message: [UInt8]) throws(AudienceFeedError) -> [AudienceChange] {
        guard message.count <= maximumLength else { throw .malformed }
        var reader = ByteReader(message)
        guard let format = reader.byte() else { throw .malformed }
        guard format == self.format else { throw .unsupportedFormat }
        var changes: [AudienceChange] = []
        while !reader.isAtEnd {
            guard let kind = reader.byte(), let length = reader.number(bytes: 4),
                let body = reader.body(count: length), let change = change(kind: kind, body: body)
            else { throw .malformed }
            changes.append(change)
        }
        return changes
    }

    package static func encode(_ answer: AudienceAnswer) -> [UInt8] {
        switch answer {
        case .ready(let version): ready(version)
        case .snapshotNeeded(let refusal): [format, refusal.rawValue]
        }
    }

    private static func ready(_ version: UInt64) -> [UInt8] {
        var answer = ByteWriter()
        answer.byte(format)
        answer.byte(0)
        answer.number(version, bytes: 8)
        return answer.bytes
    }

    package static func answer(in message: [UInt8]) -> AudienceAnswer? {
        var reader = ByteReader(message)
        guard reader.byte() == format, let kind = reader.byte() else { return nil }
        if kind == 0 {
            guard let version = reader.number(bytes: 8), reader.isAtEnd else { return nil }
            return .ready(version: version)
        }
        guard let refusal = AudienceFeedError(rawValue: kind), reader.isAtEnd else { return nil }
        return .snapshotNeeded(refusal)
    }
}

// MARK: One change

extension AudienceCodec {
    private enum Kind: UInt8 {
        case begin = 1
        case device = 2
        case deviceEnded = 3
        case conversation = 4
        case conversationEnded = 5
        case ready = 6
        case friends = 7
        case friendsEnded = 8
        case limits = 9
        case group = 10
        case groupEnded = 11
        case lease = 12
    }

    private static func encode(_ change: AudienceChange) -> [UInt8] {
        let kind: Kind
        var body = ByteWriter()
        switch change {
        case .begin(let version):
            kind = .begin
            body.number(version, bytes: 8)
        case .limits(let limits):
            kind = .limits
            for field in BrokerLimits.fields { body.number(UInt64(clamping: limits[keyPath: field]), bytes: 8) }
        case .device(let address, let status):
            kind = .device
            body.address(address)
            body.status(status)
        case .deviceEnded(let address):
            kind = .deviceEnded
            body.address(address)
        case .conversation(let id, let members, let silences):
            kind = .conversation
            body.bytes(id.value.bytes)
            let members = members.prefix(AudienceChange.maximumMembers)
            body.number(UInt64(members.count), bytes: 2)
            for member in members { body.id(member) }
            let silences = silences.prefix(AudienceChange.maximumSilences)
            body.byte(UInt8(truncatingIfNeeded: silences.count))
            for silence in silences {
                body.id(silence.user)
                body.number(silence.through, bytes: 8)
            }
        case .conversationEnded(let id):
            kind = .conversationEnded
            body.bytes(id.value.bytes)
        case .group(let id, let conversation):
            kind = .group
            body.bytes(id.value.bytes)
            body.bytes(conversation.value.bytes)
        case .groupEnded(let id):
            kind = .groupEnded
            body.bytes(id.value.bytes)
        case .friends(let one, let other):
            kind = .friends
            body.id(one)
            body.id(other)
        case .friendsEnded(let one, let other):
            kind = .friendsEnded
            body.id(one)
            body.id(other)
        case .ready(let version):
            kind = .ready
            body.number(version, bytes: 8)
        case .lease(let end):
            kind = .lease
            body.number(end, bytes: 8)
        }
        var message = ByteWriter()
        message.byte(kind.rawValue)
        message.number(UInt64(body.bytes.count), bytes: 4)
        return message.bytes + body.bytes
    }

    /// The change in `body`; `nil` if anything follows it.
    private static func change(kind: UInt8, body: ByteReader) -> AudienceChange? {
        var reader = body
        let change: AudienceChange?
        switch Kind(rawValue: kind) {
        case .begin: change = reader.number(bytes: 8).map { .begin(version: $0) }
        case .limits: change = limits(&reader)
        case .device: change = device(&reader)
        case .deviceEnded: change = reader.address().map { .deviceEnded($0) }
        case .conversation: change = conversation(&reader)
        case .conversationEnded: change = reader.uuid().map { .conversationEnded(ConversationID($0)) }
        case .group: change = group(&reader)
        case .groupEnded: change = reader.uuid().map { .groupEnded(GroupID($0)) }
        case .friends: change = pair(&reader).map { .friends($0, $1) }
        case .friendsEnded: change = pair(&reader).map { .friendsEnded($0, $1) }
        case .ready: change = reader.number(bytes: 8).map { .ready(version: $0) }
        case .lease: change = reader.number(bytes: 8).map { .lease(until: $0) }
        case nil: change = nil
        }
        return reader.isAtEnd ? change : nil
    }

    private static func limits(_ reader: inout ByteReader) -> AudienceChange? {
        var limits = BrokerLimits()
        for field in BrokerLimits.fields {
            guard let value = reader.number(bytes: 8), value <= BrokerLimits.greatest else { return nil }
            limits[keyPath: field] = Int(value)
        }
        return .limits(limits)
    }

    private static func device(_ reader: inout ByteReader) -> AudienceChange? {
        guard let address = reader.address(), let status = reader.status() else { return nil }
        return .device(address, status)
    }

    private static func conversation(_ reader: inout ByteReader) -> AudienceChange? {
        guard let id = reader.uuid(), let count = reader.number(bytes: 2), count <= AudienceChange.maximumMembers
        else { return nil }
        var members: [UserID] = []
        for _ in 0..<count {
            guard let member = reader.id(UserID.self) else { return nil }
            members.append(member)
        }
        guard let silenceCount = reader.byte(), silenceCount <= AudienceChange.maximumSilences else { return nil }
        var silences: [Silence] = []
        for _ in 0..<silenceCount {
            guard let user = reader.id(UserID.self), let through = reader.number(bytes: 8) else { return nil }
            silences.append(Silence(of: user, through: through))
        }
        return .conversation(ConversationID(id), members: members, silences: silences)
    }

    private static func group(_ reader: inout ByteReader) -> AudienceChange? {
        guard let id = reader.uuid(), let conversation = reader.uuid() else { return nil }
        return .group(GroupID(id), of: ConversationID(conversation))
    }

    private static func pair(_ reader: inout ByteReader) -> (UserID, UserID)? {
        guard let one = reader.id(UserID.self), let other = reader.id(UserID.self) else { return nil }
        return (one, other)
    }
}

// MARK: A device's status

/// The optional parts of a status.
private struct StatusFlags: OptionSet {
    let rawValue: UInt8
    static let isOperator = StatusFlags(rawValue: 1)
    static let hasPrevious = StatusFlags(rawValue: 2)
    static let hasReusedName = StatusFlags(rawValue: 4)
    static let isDoor = StatusFlags(rawValue: 8)
    static let all: StatusFlags = [.isOperator, .hasPrevious, .hasReusedName, .isDoor]

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(_ role: DeviceRole) {
        switch role {
        case .device: self = []
        case .operator: self = .isOperator
        case .door: self = .isDoor
        }
    }

    /// `nil` for a device of two roles.
    var role: DeviceRole? {
        switch (contains(.isOperator), contains(.isDoor)) {
        case (false, false): .device
        case (true, false): .operator
        case (false, true): .door
        case (true, true): nil
        }
    }
}

extension ByteWriter {
    fileprivate mutating func status(_ status: DeviceStatus) {
        var flags = StatusFlags(status.role)
        if status.previous != nil { flags.insert(.hasPrevious) }
        if status.nameReusedAt != nil { flags.insert(.hasReusedName) }
        bytes(status.token.value.bytes)
        number(UInt64(bitPattern: status.expiresAt), bytes: 8)
        byte(flags.rawValue)
        if let previous = status.previous {
            bytes(previous.token.value.bytes)
            number(UInt64(bitPattern: previous.endsAt), bytes: 8)
        }
        if let reused = status.nameReusedAt { number(UInt64(bitPattern: reused), bytes: 8) }
    }
}

extension ByteReader {
    fileprivate mutating func status() -> DeviceStatus? {
        guard let token = uuid(), let expiry = number(bytes: 8), let bits = byte(),
            bits & ~StatusFlags.all.rawValue == 0
        else { return nil }
        let flags = StatusFlags(rawValue: bits)
        guard let role = flags.role else { return nil }
        var previous: PreviousToken?
        if flags.contains(.hasPrevious) {
            guard let token = uuid(), let end = number(bytes: 8) else { return nil }
            previous = PreviousToken(token: TokenID(token), endsAt: Int64(bitPattern: end))
        }
        var reused: UInt64?
        if flags.contains(.hasReusedName) {
            guard let moment = number(bytes: 8) else { return nil }
            reused = moment
        }
        return DeviceStatus(
            token: TokenID(token), expiresAt: Int64(bitPattern: expiry), role: role, previous: previous,
            nameReusedAt: reused.map { Int64(bitPattern: $0) })
    }
}

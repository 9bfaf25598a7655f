/// Every topic of protocol §2, parsed once into a closed type. Each begins with `parley/v1/`.
public enum Topic: Hashable, Sendable {
    case up(DeviceAddress, Operation)
    case down(DeviceAddress, Operation, ReplyOutcome)
    case conversation(ConversationID, ConversationChannel)
    case group(GroupID, GroupChannel)
    case user(UserID, UserChannel)
    case gatewayStatus
    case gatewayStats(name: String)

    /// Of the contract: the number in the prefix.
    public static let version = 1
    public static let prefix = "parley/v1/"

    /// The subscription of the gateway's intake.
    public static let everyRequest = prefix + "up/#"
}

/// `{area}/{verb}` of a request, known to the gateway or not.
public struct Operation: Hashable, Sendable, CustomStringConvertible {
    public let area: String
    public let verb: String

    /// Of an area and of a verb, in characters.
    package static let longestName = 64

    /// - Returns: `nil` unless both are 1 to 64 of the id alphabet.
    public init?(area: String, verb: String) {
        let (areaBytes, verbBytes) = (Array(area.utf8), Array(verb.utf8))
        guard isLevelIdentifier(areaBytes.span, maximumLength: Operation.longestName),
            isLevelIdentifier(verbBytes.span, maximumLength: Operation.longestName)
        else { return nil }
        self.area = area
        self.verb = verb
    }

    /// From `area/verb`.
    package init?(text: String) {
        let levels = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard levels.count == 2 else { return nil }
        self.init(area: levels[0], verb: levels[1])
    }

    init?(area: Span<UInt8>, verb: Span<UInt8>) {
        guard isLevelIdentifier(area, maximumLength: Operation.longestName),
            isLevelIdentifier(verb, maximumLength: Operation.longestName)
        else { return nil }
        self.area = String(copying: area)
        self.verb = String(copying: verb)
    }

    init(validatedArea area: String, verb: String) { (self.area, self.verb) = (area, verb) }

    public var description: String { "\(area)/\(verb)" }
}

public enum ReplyOutcome: String, Hashable, Sendable, CaseIterable {
    case accepted, rejected
}

public enum ConversationChannel: String, Hashable, Sendable, CaseIterable {
    case messages, receipts, typing, info, challenges
}

public enum GroupChannel: String, Hashable, Sendable, CaseIterable {
    case checkIns = "leaderboards/check-ins"
    case streak = "leaderboards/streak"
    case events
}

public enum UserChannel: String, Hashable, Sendable, CaseIterable {
    case events, notifications, presence, activity
}

extension Topic {
    /// Parses a topic name. `nil` for a name that is not a topic of the protocol, and for wildcards.
    public init?(parsing bytes: Span<UInt8>) {
        guard let levels = Levels(afterPrefixOf: bytes) else { return nil }
        let kind = bytes.extracting(levels[0])
        let id = bytes.extracting(levels[1])
        if kind.equals("conversations"), levels.count == 3 {
            guard let id = ConversationID(parsing: id),
                let channel = levels.channel(ConversationChannel.self, from: 2, in: bytes)
            else { return nil }
            self = .conversation(id, channel)
        } else if kind.equals("up"), levels.count == 5 {
            guard let address = levels.address(at: 1, in: bytes),
                let operation = Operation(
                    area: bytes.extracting(levels[3]), verb: bytes.extracting(levels[4]))
            else { return nil }
            self = .up(address, operation)
        } else if kind.equals("down"), levels.count == 6 {
            guard let address = levels.address(at: 1, in: bytes),
                let operation = Operation(
                    area: bytes.extracting(levels[3]), verb: bytes.extracting(levels[4])),
                let outcome = levels.channel(ReplyOutcome.self, from: 5, in: bytes)
            else { return nil }
            self = .down(address, operation, outcome)
        } else if kind.equals("users"), levels.count == 3 {
            guard let id = UserID(parsing: id), let channel = levels.channel(UserChannel.self, from: 2, in: bytes)
            else { return nil }
            self = .user(id, channel)
        } else if kind.equals("groups"), levels.count >= 3 {
            guard let id = GroupID(parsing: id), let channel = levels.channel(GroupChannel.self, from: 2, in: bytes)
            else { return nil }
            self = .group(id, channel)
        } else if kind.equals("gateway"), levels.count == 2, id.equals("status") {
            self = .gatewayStatus
        } else if kind.equals("gateway"), levels.count == 3, id.equals("stats") {
            let name = bytes.extracting(levels[2])
            guard isLevelIdentifier(name, maximumLength: 64) else { return nil }
            self = .gatewayStats(name: String(copying: name))
        } else {
            return nil
        }
    }

    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        self.init(parsing: bytes.span)
    }

    public func append(to output: inout [UInt8]) {
        output.append(contentsOf: Topic.prefix.utf8)
        switch self {
        case .up(let address, let operation):
            Topic.append("up", address, operation, to: &output)
        case .down(let address, let operation, let outcome):
            Topic.append("down", address, operation, to: &output)
            output.append(UInt8(ascii: "/"))
            output.append(contentsOf: outcome.rawValue.utf8)
        case .conversation(let id, let channel):
            output.append(contentsOf: "conversations/".utf8)
            id.value.append(to: &output)
            output.append(UInt8(ascii: "/"))
            output.append(contentsOf: channel.rawValue.utf8)
        case .group(let id, let channel):
            output.append(contentsOf: "groups/".utf8)
            id.value.append(to: &output)
            output.append(UInt8(ascii: "/"))
            output.append(contentsOf: channel.rawValue.utf8)
        case .user(let id, let channel):
            output.append(contentsOf: "users/".utf8)
            id.append(to: &output)
            output.append(UInt8(ascii: "/"))
            output.append(contentsOf: channel.rawValue.utf8)
        case .gatewayStatus:
            output.append(contentsOf: "gateway/status".utf8)
        case .gatewayStats(let name):
            output.append(contentsOf: "gateway/stats/".utf8)
            output.append(contentsOf: name.utf8)
        }
    }

    private static func append(
        _ direction: StaticString, _ address: DeviceAddress, _ operation: Operation, to output: inout [UInt8]
    ) {
        output.append(contentsOf: direction.description.utf8)
        for level in [address.user.text, address.device.text, operation.area, operation.verb] {
            output.append(UInt8(ascii: "/"))
            output.append(contentsOf: level.utf8)
        }
    }

    /// For people and for cold paths.
    public var name: String {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

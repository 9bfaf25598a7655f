import ArgumentParser
import ParleyProtocol

extension UserID: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}

extension DeviceID: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}

extension DeviceAddress: ExpressibleByArgument {
    /// From `UID/DID`.
    public init?(argument: String) {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let user = UserID(parts[0]), let device = DeviceID(parts[1]) else { return nil }
        self.init(user: user, device: device)
    }
}

extension ReportID: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument.lowercased()) }
}

extension ChallengeID: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument.lowercased()) }
}

extension ChallengeType: ExpressibleByArgument {
    /// Their names, for people.
    static var names: String {
        let names = allCases.map(\.rawValue)
        return names.dropLast().joined(separator: ", ") + " or " + names.suffix(1).joined()
    }
}

extension Operation: ExpressibleByArgument {
    public init?(argument: String) { self.init(text: argument) }
}

extension MessagePrivacy: ExpressibleByArgument {}

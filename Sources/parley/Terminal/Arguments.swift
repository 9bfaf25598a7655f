import ArgumentParser
import ParleyProtocol

extension UUIDIdentifier where Self: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument.lowercased()) }
}

extension ActivityID: ExpressibleByArgument {}
extension ChallengeID: ExpressibleByArgument {}
extension ConversationID: ExpressibleByArgument {}
extension GroupID: ExpressibleByArgument {}
extension InviteID: ExpressibleByArgument {}
extension MessageID: ExpressibleByArgument {}
extension ReportID: ExpressibleByArgument {}
extension WorkoutID: ExpressibleByArgument {}

extension LevelIdentifier where Self: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}

extension UserID: ExpressibleByArgument {
    public static var defaultCompletionKind: CompletionKind { Completions.users }
}

extension DeviceID: ExpressibleByArgument {
    public static var defaultCompletionKind: CompletionKind { Completions.deviceIDs }
}

extension DeviceAddress: ExpressibleByArgument {
    public static var defaultCompletionKind: CompletionKind { Completions.devices }

    public init?(argument: String) { self.init(argument) }
}

extension Emoji: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}

extension ISOWeek: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}

extension Operation: ExpressibleByArgument {
    public init?(argument: String) { self.init(text: argument) }
}

extension ActivityType.Posted: ExpressibleByArgument {}
extension ChallengeType: ExpressibleByArgument {}
extension LeaderboardType: ExpressibleByArgument {}
extension MemberRole: ExpressibleByArgument {}
extension MessagePrivacy: ExpressibleByArgument {}
extension Suite.Bound: ExpressibleByArgument {}

extension CaseIterable where Self: RawRepresentable<String> {
    /// The cases' names, for people.
    static var names: String {
        let names = allCases.map(\.rawValue)
        return names.dropLast().joined(separator: ", ") + " or " + names.suffix(1).joined()
    }
}

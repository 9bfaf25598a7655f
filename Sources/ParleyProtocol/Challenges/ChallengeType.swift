/// What a challenge counts (protocol §5).
public enum ChallengeType: String, Sendable, CaseIterable, Codable {
    case steps, calories
    case workoutCount = "workout_count"
    case streak
}

public struct ChallengeID: UUIDIdentifier {
    public let value: UUIDValue
    public init(_ value: UUIDValue) { self.value = value }
}

/// What a challenge counts (protocol §5).
public enum ChallengeType: String, Sendable, CaseIterable, Codable {
    case steps, calories
    case workoutCount = "workout_count"
    case streak
}

/// What has become of a challenge.
public enum ChallengeStatus: String, Sendable, CaseIterable, Codable {
    /// It waits for an answer, for 48 hours.
    case pending
    /// It was accepted, and is counted.
    case active
    /// Its days are over.
    case completed
    case declined, cancelled
    /// Nobody has answered.
    case expired
}

/// How a completed challenge has ended.
public enum ChallengeOutcome: String, Sendable, CaseIterable, Codable {
    case won, tied
    /// Neither has done anything, or the two are no longer such as challenge each other.
    case void
}

public struct ChallengeID: UUIDIdentifier {
    public let value: UUIDValue
    public init(_ value: UUIDValue) { self.value = value }
}

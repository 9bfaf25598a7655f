/// The count that a challenge compares (protocol §5).
public enum ChallengeType: String, Sendable, CaseIterable, Codable {
    case steps, calories
    case workoutCount = "workout_count"
    case streak
}

public enum ChallengeStatus: String, Sendable, CaseIterable, Codable {
    /// Without an answer yet, for at most 48 hours.
    case pending
    /// Accepted, and counting.
    case active
    /// Its days are over.
    case completed
    case declined, cancelled
    /// Without an answer in time.
    case expired
}

/// The result of a completed challenge.
public enum ChallengeOutcome: String, Sendable, CaseIterable, Codable {
    case won, tied
    /// Neither has done anything, or the two may not challenge each other any more.
    case void
}

public struct ChallengeID: UUIDIdentifier {
    public let value: UUIDValue
    public init(_ value: UUIDValue) { self.value = value }
}

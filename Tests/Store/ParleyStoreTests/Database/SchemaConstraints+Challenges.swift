extension SchemaTests {
    private static func day(_ columns: String, _ values: String) -> String {
        """
        INSERT INTO metrics ("user", day, time_zone, version, implausible, reported_at\(columns))
        VALUES ('alice', 20000, 'UTC', 1, 0, 0\(values))
        """
    }

    private static func challenge(
        _ status: String, type: String = "steps", target: Int = 1, accepted: String = "NULL, NULL",
        outcome: String = "NULL, NULL", deadline: String = "NULL", due: String = "NULL"
    ) -> String {
        """
        INSERT INTO challenges (id, digest, conversation, type, target, duration_days, status, created_at, accepted_at,
            ends_at, outcome, winner, deadline, due_at, published_at)
        VALUES (zeroblob(16), zeroblob(16), 1, '\(type)', \(target), 1, '\(status)', 0, \(accepted), \(outcome),
            \(deadline), \(due), 0)
        """
    }

    private static let pending = challenge("pending", deadline: "1", due: "1")
    private static let completed = challenge("completed", accepted: "0, 1", outcome: "'won', 'alice'", deadline: "1")

    /// Of days and challenges.
    static let challenges: [Statement] = [
        Statement(
            "nobody has walked less than nothing", check("steps >= 0"),
            accepted: day(", steps", ", 0"), refused: day(", steps", ", -1")),
        Statement(
            "nobody has burnt less than nothing", check("calories >= 0"),
            accepted: day(", calories", ", 0"), refused: day(", calories", ", -1")),
        Statement(
            "nobody has exercised for less than nothing", check("exercise_minutes >= 0"),
            accepted: day(", exercise_minutes", ", NULL"), refused: day(", exercise_minutes", ", -1")),
        Statement(
            "a challenge counts one of four things",
            check("type IN ('steps', 'calories', 'workout_count', 'streak')"),
            accepted: challenge("declined", type: "streak"), refused: challenge("declined", type: "naps")),
        Statement(
            "a challenge has a target", check("target > 0"),
            accepted: challenge("declined", target: 1), refused: challenge("declined", target: 0)),
        Statement(
            "a challenge is in one of its states", check("status IN"),
            accepted: challenge("expired"), refused: challenge("forgotten")),
        Statement(
            "what is counted was accepted",
            check("(accepted_at IS NOT NULL) = (status IN ('active', 'completed'))"),
            accepted: challenge("active", accepted: "0, 1", deadline: "1", due: "1"),
            refused: challenge("active", deadline: "1", due: "1")),
        Statement(
            "what was accepted has an end", check("(ends_at IS NULL) = (accepted_at IS NULL)"),
            accepted: challenge("active", accepted: "0, 1", deadline: "1", due: "1"),
            refused: challenge("active", accepted: "0, NULL", deadline: "1", due: "1")),
        Statement(
            "what is completed has an outcome", check("(outcome IS NOT NULL) = (status = 'completed')"),
            accepted: challenge("completed", accepted: "0, 1", outcome: "'void', NULL", deadline: "1"),
            refused: challenge("completed", accepted: "0, 1", deadline: "1")),
        Statement(
            "somebody has won what was won",
            check("(winner IS NOT NULL) = (coalesce(outcome, 'void') = 'won')"),
            accepted: completed,
            refused: challenge("completed", accepted: "0, 1", outcome: "'won', NULL", deadline: "1")),
        Statement(
            "nobody has won what is tied", check("(winner IS NOT NULL) = (coalesce(outcome, 'void') = 'won')"),
            accepted: challenge("completed", accepted: "0, 1", outcome: "'tied', NULL", deadline: "1"),
            refused: challenge("completed", accepted: "0, 1", outcome: "'tied', 'bob'", deadline: "1")),
        Statement(
            "what is open is looked at again",
            check("(due_at IS NOT NULL) = (status IN ('pending', 'active'))"),
            accepted: pending, refused: challenge("pending", deadline: "1")),
        Statement(
            "what waits for an answer has a deadline", check("(deadline IS NOT NULL)"),
            accepted: pending, refused: challenge("pending", due: "1")),
    ]
}

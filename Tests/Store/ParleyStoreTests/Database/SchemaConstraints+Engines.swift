extension SchemaTests {
    /// Where two engines could take the same words for different things.
    static let engines: [Statement] = [
        Statement(
            "a length counts characters, not bytes", check("length(id) BETWEEN 1 AND 64"),
            "INSERT INTO users (id, role, display_name, created_at) VALUES ('#', 'member', 'C', 0)",
            takes: String(repeating: "ü", count: 64), not: String(repeating: "ü", count: 65)),
        Statement(
            "a character is a Unicode scalar", check("length(name) BETWEEN 1 AND 64"),
            "INSERT INTO instance VALUES (1, '#')", takes: String(repeating: "👏", count: 64),
            not: String(repeating: "👏🏽", count: 33)),
        Statement(
            "a week before 1970 begins on a Monday", check("(week + 3) % 7 = 0"),
            "INSERT INTO deleted_workouts VALUES (\(otherID), 'alice', 0, zeroblob(16), #, 1, 1)", takes: "-3",
            not: "-4"),
        Statement(
            "the lesser of two is the one whose bytes are", check("lesser < greater"),
            "INSERT INTO ended_friendships VALUES ('alice', '#', 0)", takes: "bob", not: "Bob"),
        Statement(
            "nothing is larger than 64 bits", "cannot store REAL value in INTEGER column",
            "UPDATE users SET created_at = #", takes: "9223372036854775807", not: "9223372036854775808"),
        Statement(
            "what is unknown breaks no condition", check("suite BETWEEN 0 AND 2"),
            "UPDATE records SET suite = #", takes: "NULL", not: "3"),
        Statement(
            "two that lack a key are no repeats", unique("notifications.user, notifications.repeat_key"),
            accepted: row(1, id, "NULL") + ", " + values(2, otherID, "NULL"),
            refused: row(1, id, "''") + ", " + values(2, otherID, "''")),
    ]

    private static func values(_ number: Int, _ id: String, _ key: String) -> String {
        "('alice', \(number), \(id), 'reaction', NULL, x'7b7d', \(key), 0, 0, 0, 0)"
    }

    private static func row(_ number: Int, _ id: String, _ key: String) -> String {
        "INSERT INTO notifications VALUES \(values(number, id, key))"
    }
}

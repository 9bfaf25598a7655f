extension SchemaTests {
    private static func workout(id: String = otherID, day: Int = 20_000, minutes: Int = 30, week: Int = 19_996)
        -> String
    {
        """
        INSERT INTO workouts VALUES ('alice', \(day), \(id), 0, 'UTC', NULL, \(minutes), zeroblob(16), \(week), 1, 1)
        """
    }

    private static let thirdID = "x'00000000000000000000000000000003'"

    /// A workout, and a group with a board.
    static let withBoards = [
        workout(id: thirdID), aGroup,
        "INSERT INTO boards SELECT key, 19996, 'streak', 0, 1, 1, 0, NULL, 0 FROM groups",
    ]

    /// Of workouts.
    static let workouts: [Statement] = [
        Statement(
            "a workout is logged once", unique("workouts.id"),
            accepted: workout(id: id), refused: workout(id: thirdID, day: 20_001)),
        Statement(
            "a workout's id has 16 bytes", check("length(id) = 16"),
            accepted: workout(), refused: workout(id: "x'00'")),
        Statement(
            "a workout lasts no longer than a day", check("minutes BETWEEN 0 AND 1440"),
            accepted: workout(minutes: 1440), refused: workout(minutes: 1441)),
        Statement(
            "a week begins on a Monday", check("(week + 3) % 7 = 0"),
            accepted: workout(), refused: workout(week: 19_997)),
        Statement(
            "a run of days ends no sooner than it begins", check("last_day >= first_day"),
            "INSERT INTO workout_runs VALUES ('alice', #, 1)", takes: "1", not: "2"),
    ]

    /// Of boards, where there is one.
    static let onBoards: [Statement] = [
        Statement(
            "a board is unique for group, week and type", unique("boards.of_group, boards.week, boards.type"),
            "INSERT INTO boards VALUES (1, 19996, '#', 0, 1, 1, 0, NULL, 0)", takes: "check-ins", not: "streak"),
        Statement(
            "a board counts what there is to count", check("type IN ('check-ins', 'streak')"),
            "INSERT INTO boards VALUES (1, 19996, '#', 0, 1, 1, 0, NULL, 0)", takes: "check-ins", not: "steps"),
        Statement(
            "no version is published that there is not", check("published_version BETWEEN 0 AND version"),
            accepted: "UPDATE boards SET published_version = 1", refused: "UPDATE boards SET published_version = 2"),
        Statement(
            "nobody stands on a board with nothing", check("value > 0"),
            accepted: "INSERT INTO board_entries VALUES (1, 19996, 'streak', 'alice', 1, 0, NULL, 0, 1, NULL)",
            refused: "INSERT INTO board_entries VALUES (1, 19996, 'streak', 'alice', 0, 0, NULL, 0, 1, NULL)"),
        Statement(
            "a rank before is another", check("previous_rank > 0 AND previous_rank <> rank"),
            accepted: "INSERT INTO board_entries VALUES (1, 19996, 'streak', 'alice', 1, 0, NULL, 0, 1, 2)",
            refused: "INSERT INTO board_entries VALUES (1, 19996, 'streak', 'alice', 1, 0, NULL, 0, 1, 1)"),
        Statement(
            "a line is of a board that is there", foreignKey,
            accepted: "INSERT INTO board_entries VALUES (1, 19996, 'streak', 'alice', 1, 0, NULL, 0, 1, NULL)",
            refused: "INSERT INTO board_entries VALUES (1, 19988, 'streak', 'alice', 1, 0, NULL, 0, 1, NULL)"),
    ]
}

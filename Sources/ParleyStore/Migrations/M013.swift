extension Migration {
    /// By what challenges that are over, and what is left of deleted workouts, are found when they are old.
    static let m013 = Migration(
        name: "013",
        sql: """
            CREATE INDEX challenges_over ON challenges (published_at) WHERE due_at IS NULL;
            CREATE INDEX deleted_workouts_by_time ON deleted_workouts (completed_at);
            """)
}

extension Migration {
    /// The run of the broker that was given what is retained of conversations.
    static let m008 = Migration(
        name: "008",
        sql: """
            -- The run of the broker that was last given everything that is to be retained on `info` of groups.
            ALTER TABLE publishing ADD COLUMN info_broker INTEGER;
            """)
}

extension Migration {
    /// Messages in the form of old apps.
    static let m017 = Migration(
        name: "017",
        sql: """
            -- Whether it is `legacy-nacl-box`: a `nacl-box` without a header inside. A column of its own, because the
            -- CHECK of `suite` changes only with a copy of the whole log.
            ALTER TABLE records ADD COLUMN is_legacy INTEGER NOT NULL DEFAULT 0
                CHECK (is_legacy IN (0, 1) AND (is_legacy = 0 OR suite = 1 AND suite IS NOT NULL));
            """)
}

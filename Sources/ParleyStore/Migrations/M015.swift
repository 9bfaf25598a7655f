extension Migration {
    /// Which conversations count for whom.
    static let m015 = Migration(
        name: "015",
        sql: """
            -- Whether it is one of those that the member has by an act of their own, of which they may have so many. Who has
            -- opened a conversation of two from before this, other than by making it, is not known: it counts for nobody.
            ALTER TABLE members ADD COLUMN is_counted INTEGER NOT NULL DEFAULT 0
                CHECK (is_counted IN (0, 1) AND (is_counted = 0 OR is_open = 1 AND added_by IS NULL));
            UPDATE members SET is_counted = 1 FROM conversations c
                WHERE c.key = members.conversation AND members.is_open = 1 AND members.added_by IS NULL
                    AND (c.type = 'group' OR c.created_by = members.user OR members.made_at IS NOT NULL);
            CREATE INDEX members_counted ON members (user) WHERE is_counted = 1;
            """)
}

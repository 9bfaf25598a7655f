extension Migration {
    /// Changes to messages, and whether a message counts as unread.
    static let m002 = Migration(
        name: "002",
        sql: """
            -- The message that an edit, a deletion or a reaction is about; its own id where it names none. NULL for a message.
            ALTER TABLE messages ADD COLUMN target BLOB CHECK (target IS NULL OR length(target) = 16);
            -- Whether it is unread while the user has not read so far. NULL: kept before this was noted.
            ALTER TABLE messages ADD COLUMN counts INTEGER CHECK (counts IN (0, 1));

            CREATE INDEX messages_by_target ON messages (conversation, target, seq) WHERE target IS NOT NULL;
            CREATE INDEX messages_unread ON messages (conversation, epoch, seq, counts) WHERE counts IS NOT 0;
            """)
}

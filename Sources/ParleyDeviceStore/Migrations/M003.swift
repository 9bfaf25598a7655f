extension Migration {
    /// Chapters: records of earlier epochs stay, before those of the present one.
    static let m003 = Migration(
        name: "003",
        sql: """
            -- Of the records that come now: 0, and one more each time the gateway's history began anew.
            ALTER TABLE conversations ADD COLUMN chapter INTEGER NOT NULL DEFAULT 0 CHECK (chapter >= 0);
            -- Records are in the order of their chapters, and in each of their sequence numbers.
            ALTER TABLE messages ADD COLUMN chapter INTEGER NOT NULL DEFAULT 0 CHECK (chapter >= 0);

            -- An earlier version that could not write may have left more than one epoch of a conversation.
            CREATE TABLE epochs_found AS
                SELECT conversation, epoch, row_number() OVER (PARTITION BY conversation ORDER BY min(key)) - 1 AS chapter
                FROM messages GROUP BY conversation, epoch;
            DELETE FROM epochs_found
                WHERE conversation NOT IN (SELECT conversation FROM epochs_found WHERE chapter > 0);
            UPDATE messages SET chapter = (
                    SELECT found.chapter FROM epochs_found AS found
                    WHERE found.conversation = messages.conversation AND found.epoch = messages.epoch)
                WHERE conversation IN (SELECT conversation FROM epochs_found);
            UPDATE conversations SET chapter = (
                    SELECT found.chapter + (found.epoch IS NOT conversations.epoch) FROM epochs_found AS found
                    WHERE found.conversation = conversations.id ORDER BY found.chapter DESC LIMIT 1)
                WHERE id IN (SELECT conversation FROM epochs_found);
            DROP TABLE epochs_found;

            CREATE UNIQUE INDEX messages_by_chapter ON messages (conversation, chapter, seq);
            """)
}

extension Migration {
    /// The token before a renewal, whose name a device has and who made its token; who put whom into a group.
    static let m004 = Migration(
        name: "004",
        sql: """
            -- The token before token_id: it signs in until token_id has, and no longer than this.
            ALTER TABLE devices ADD COLUMN previous_token_id BLOB CHECK (length(previous_token_id) = 16);
            ALTER TABLE devices ADD COLUMN previous_until INTEGER
                CHECK ((previous_until IS NULL) = (previous_token_id IS NULL));
            -- When the name was given to a device anew after one of that name was revoked.
            ALTER TABLE devices ADD COLUMN name_reused_at INTEGER;
            -- The operator's device that made the token from which the current one came by renewals. Of tokens from
            -- before this is not known.
            ALTER TABLE devices ADD COLUMN made_by_user TEXT;
            ALTER TABLE devices ADD COLUMN made_by_device TEXT
                CHECK ((made_by_device IS NULL) = (made_by_user IS NULL));
            CREATE INDEX devices_of_maker ON devices (made_by_user, made_by_device) WHERE made_by_user IS NOT NULL;

            -- Who has put the member into the group; nobody where he made it or came by himself. Of groups from before
            -- their maker is taken for it.
            ALTER TABLE members ADD COLUMN added_by TEXT;
            UPDATE members SET added_by = c.created_by FROM conversations c
                WHERE c.key = members.conversation AND c.type = 'group' AND c.created_by <> members.user;
            CREATE INDEX members_added ON members (user) WHERE added_by IS NOT NULL;

            -- When the member made a direct conversation that the other had made before, of which he did not know.
            ALTER TABLE members ADD COLUMN made_at INTEGER;
            """)
}

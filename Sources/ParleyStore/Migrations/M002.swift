extension Migration {
    /// Who follows, blocks and asks whom; what members may see and how they want it; what disappears; reports.
    static let m002 = Migration(
        name: "002",
        sql: """
            CREATE TABLE follows (
                follower TEXT NOT NULL REFERENCES users (id),
                followed TEXT NOT NULL REFERENCES users (id),
                created_at INTEGER NOT NULL,
                PRIMARY KEY (follower, followed),
                CHECK (follower <> followed)
            ) STRICT, WITHOUT ROWID;

            CREATE INDEX follows_of_follower ON follows (follower, created_at, followed);
            CREATE INDEX follows_of_followed ON follows (followed, created_at, follower);

            CREATE TABLE blocks (
                blocker TEXT NOT NULL REFERENCES users (id),
                blocked TEXT NOT NULL REFERENCES users (id),
                created_at INTEGER NOT NULL,
                PRIMARY KEY (blocker, blocked),
                CHECK (blocker <> blocked)
            ) STRICT, WITHOUT ROWID;

            CREATE INDEX blocks_of_blocker ON blocks (blocker, created_at, blocked);
            CREATE INDEX blocks_of_blocked ON blocks (blocked, blocker);

            -- What has become of one person's asking to write to another.
            CREATE TABLE message_requests (
                sender TEXT NOT NULL REFERENCES users (id),
                recipient TEXT NOT NULL REFERENCES users (id),
                state TEXT NOT NULL CHECK (state IN ('waiting', 'accepted', 'declined', 'cancelled', 'open')),
                conversation INTEGER NOT NULL REFERENCES conversations (key),
                created_at INTEGER NOT NULL,
                PRIMARY KEY (sender, recipient),
                CHECK (sender <> recipient)
            ) STRICT, WITHOUT ROWID;

            CREATE INDEX message_requests_waiting ON message_requests (recipient, created_at, sender)
                WHERE state = 'waiting';

            -- When two people were last friends, if one has unfollowed the other since.
            CREATE TABLE ended_friendships (
                lesser TEXT NOT NULL REFERENCES users (id),
                greater TEXT NOT NULL REFERENCES users (id),
                ended_at INTEGER NOT NULL,
                PRIMARY KEY (lesser, greater),
                CHECK (lesser < greater)
            ) STRICT, WITHOUT ROWID;

            -- What a member has and wants of a conversation.
            ALTER TABLE members ADD COLUMN is_open INTEGER NOT NULL DEFAULT 1 CHECK (is_open IN (0, 1));
            ALTER TABLE members ADD COLUMN joined_seq INTEGER NOT NULL DEFAULT 0 CHECK (joined_seq >= 0);
            ALTER TABLE members ADD COLUMN visible_from INTEGER NOT NULL DEFAULT 0 CHECK (visible_from >= 0);
            ALTER TABLE members ADD COLUMN is_muted INTEGER NOT NULL DEFAULT 0 CHECK (is_muted IN (0, 1));
            ALTER TABLE members ADD COLUMN muted_until INTEGER CHECK (muted_until IS NULL OR is_muted = 1);
            -- Until there is a new message.
            ALTER TABLE members ADD COLUMN is_archived INTEGER NOT NULL DEFAULT 0 CHECK (is_archived IN (0, 1));
            ALTER TABLE members ADD COLUMN is_marked_unread INTEGER NOT NULL DEFAULT 0
                CHECK (is_marked_unread IN (0, 1));
            -- Never later than the conversation's updated_at, and no more than a minute earlier.
            ALTER TABLE members ADD COLUMN active_at INTEGER NOT NULL DEFAULT 0;
            UPDATE members SET active_at = (SELECT updated_at FROM conversations WHERE key = conversation);

            -- How far the others have been told that he has come: less than he has, where he sends no read receipts or
            -- may not write to them.
            ALTER TABLE members ADD COLUMN told_delivered_seq INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE members ADD COLUMN told_read_seq INTEGER NOT NULL DEFAULT 0
                CHECK (told_read_seq <= told_delivered_seq);
            UPDATE members SET told_delivered_seq = delivered_seq, told_read_seq = read_seq;

            DROP INDEX members_by_user;
            CREATE INDEX members_of_user ON members (user, is_open, is_archived, active_at);

            -- The place of the last message of a person: neither a change to one nor the gateway's own.
            ALTER TABLE conversations ADD COLUMN last_message_seq INTEGER NOT NULL DEFAULT 0;
            UPDATE conversations SET last_message_seq = coalesce(
                (SELECT max(seq) FROM records WHERE conversation = key AND kind = 0 AND type <> 7), 0);

            -- What somebody has left or was taken out of, so that leaving again is known as a repeat.
            CREATE TABLE departures (
                conversation INTEGER NOT NULL REFERENCES conversations (key),
                user TEXT NOT NULL REFERENCES users (id),
                left_at INTEGER NOT NULL,
                -- The conversation's object as it was then, as JSON: what a repeat is answered.
                farewell BLOB NOT NULL,
                PRIMARY KEY (conversation, user)
            ) STRICT, WITHOUT ROWID;

            -- What a record of the type system tells, as JSON.
            ALTER TABLE records ADD COLUMN system BLOB;

            CREATE INDEX records_of_target ON records (target, kind) WHERE target IS NOT NULL;
            CREATE INDEX records_to_expire ON records (expires_at) WHERE expires_at IS NOT NULL AND content IS NOT NULL;

            -- How far each device has come. The user's own watermarks, in members, are the furthest of these.
            CREATE TABLE device_watermarks (
                conversation INTEGER NOT NULL REFERENCES conversations (key),
                user TEXT NOT NULL,
                device TEXT NOT NULL,
                delivered_seq INTEGER NOT NULL,
                read_seq INTEGER NOT NULL,
                PRIMARY KEY (conversation, user, device),
                CHECK (read_seq <= delivered_seq)
            ) STRICT, WITHOUT ROWID;

            -- Whether a user was there when that last changed, whoever may be told of it. What is retained by the broker
            -- follows from this and from his profile.
            CREATE TABLE presence (
                user TEXT NOT NULL PRIMARY KEY REFERENCES users (id),
                state TEXT NOT NULL CHECK (state IN ('online', 'offline')),
                last_seen INTEGER CHECK ((last_seen IS NULL) = (state = 'online'))
            ) STRICT, WITHOUT ROWID;

            -- The run of the broker that was last given everything that is to be retained of presence.
            ALTER TABLE publishing ADD COLUMN presence_broker INTEGER;

            CREATE TABLE reports (
                key INTEGER PRIMARY KEY,
                id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
                reporter TEXT NOT NULL REFERENCES users (id),
                reason TEXT NOT NULL,
                -- Whom it is about: the sender of the message, if it is about one.
                user TEXT NOT NULL,
                -- The record as it was when it was reported, as JSON.
                message BLOB,
                evidence BLOB,
                created_at INTEGER NOT NULL,
                digest BLOB NOT NULL CHECK (length(digest) = 16)
            ) STRICT;

            -- People who have written to each other before there were rules about it go on as they were: a direct
            -- conversation in which both have written is accepted, one in which only one has may be answered.
            INSERT INTO message_requests (sender, recipient, state, conversation, created_at)
            SELECT first.sender, other.user,
                CASE WHEN EXISTS (SELECT 1 FROM records r WHERE r.conversation = c.key AND r.sender = other.user)
                    THEN 'accepted' ELSE 'open' END,
                c.key, first.created_at
            FROM conversations c
            JOIN records first ON first.conversation = c.key AND first.seq = 1
            JOIN members other ON other.conversation = c.key AND other.user <> first.sender
            WHERE c.type = 'direct';
            """)
}

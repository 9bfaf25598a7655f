extension Migration {
    /// What users have reported of their days, and challenges.
    static let m011 = Migration(
        name: "011",
        sql: """
            -- Of each day the report with the highest version.
            CREATE TABLE metrics (
                "user" TEXT NOT NULL REFERENCES users (id),
                -- Days since 1970-01-01 of the calendar where the user was.
                day INTEGER NOT NULL,
                time_zone TEXT NOT NULL CHECK (length(time_zone) BETWEEN 1 AND 64),
                version INTEGER NOT NULL CHECK (version >= 0),
                steps INTEGER CHECK (steps >= 0),
                calories INTEGER CHECK (calories >= 0),
                exercise_minutes INTEGER CHECK (exercise_minutes >= 0),
                -- What of it was more than is believed: 1 for steps, 2 for calories, 4 for minutes.
                implausible INTEGER NOT NULL CHECK (implausible BETWEEN 0 AND 7),
                reported_at INTEGER NOT NULL,
                PRIMARY KEY ("user", day)
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE challenges (
                key INTEGER PRIMARY KEY,
                id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
                -- What the request was that has made it.
                digest BLOB NOT NULL CHECK (length(digest) = 16),
                conversation INTEGER NOT NULL REFERENCES conversations (key),
                type TEXT NOT NULL CHECK (type IN ('steps', 'calories', 'workout_count', 'streak')),
                target INTEGER NOT NULL CHECK (target > 0),
                duration_days INTEGER NOT NULL CHECK (duration_days > 0),
                status TEXT NOT NULL
                    CHECK (status IN ('pending', 'active', 'completed', 'declined', 'cancelled', 'expired')),
                created_at INTEGER NOT NULL,
                accepted_at INTEGER CHECK ((accepted_at IS NOT NULL) = (status IN ('active', 'completed'))),
                ends_at INTEGER CHECK ((ends_at IS NULL) = (accepted_at IS NULL)),
                outcome TEXT CHECK (outcome IN ('won', 'tied', 'void')),
                winner TEXT REFERENCES users (id),
                -- Until when it waits for an answer, or is counted, by the gateway's steady time.
                deadline INTEGER,
                -- When it is next to be looked at, and was last published, by that time.
                due_at INTEGER,
                published_at INTEGER NOT NULL,
                CHECK ((outcome IS NOT NULL) = (status = 'completed')),
                CHECK ((winner IS NOT NULL) = (coalesce(outcome, 'void') = 'won')),
                CHECK ((due_at IS NOT NULL) = (status IN ('pending', 'active'))),
                CHECK ((deadline IS NOT NULL) = (status IN ('pending', 'active', 'completed')))
            ) STRICT;

            CREATE INDEX challenges_of_conversation ON challenges (conversation, key);
            CREATE INDEX challenges_by_time ON challenges (due_at) WHERE due_at IS NOT NULL;

            -- The two of each.
            CREATE TABLE challenge_sides (
                challenge INTEGER NOT NULL REFERENCES challenges (key),
                "user" TEXT NOT NULL REFERENCES users (id),
                is_challenger INTEGER NOT NULL CHECK (is_challenger IN (0, 1)),
                -- Whether the challenge waits for an answer or is counted.
                is_open INTEGER NOT NULL CHECK (is_open IN (0, 1)),
                -- The first of their days that count, in days since 1970-01-01.
                first_day INTEGER,
                progress INTEGER NOT NULL DEFAULT 0 CHECK (progress >= 0),
                PRIMARY KEY (challenge, "user"),
                UNIQUE (challenge, is_challenger)
            ) STRICT, WITHOUT ROWID;

            CREATE INDEX challenge_sides_of_user ON challenge_sides ("user", challenge);
            CREATE INDEX challenge_sides_open ON challenge_sides ("user", challenge) WHERE is_open = 1;
            """)
}

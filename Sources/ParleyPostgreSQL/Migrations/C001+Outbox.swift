extension C001 {
    /// What is on its way to the broker, and what the gateway knows of itself.
    static let outbox = [
        """
        CREATE TABLE outbox (
            position BIGINT PRIMARY KEY,
            topic BYTEA NOT NULL,
            payload BYTEA NOT NULL,
            retain BIGINT NOT NULL CHECK (retain IN (0, 1)),
            unread_user TEXT COLLATE "C",
            unread_conversation BIGINT
                CONSTRAINT outbox_unread_conversation_check
                    CHECK ((unread_conversation IS NULL) = (unread_user IS NULL)),
            unread_after BIGINT
                CONSTRAINT outbox_unread_after_check CHECK ((unread_after IS NULL) = (unread_user IS NULL)),
            unread_through BIGINT
                CONSTRAINT outbox_unread_through_check
                    CHECK ((unread_through IS NULL) = (unread_user IS NULL)),
            unread_room BIGINT
                CONSTRAINT outbox_unread_room_check CHECK ((unread_room IS NULL) = (unread_user IS NULL))
        ) \(Storage.queue)
        """,
        """
        CREATE TABLE publishing (
            id BIGINT PRIMARY KEY CHECK (id = 1),
            published_through BIGINT NOT NULL,
            presence_broker BIGINT,
            info_broker BIGINT,
            boards_broker BIGINT,
            boards_steps BIGINT
        ) \(Storage.singleRow)
        """,
        "INSERT INTO publishing (id, published_through) VALUES (1, 0)",
        """
        CREATE TABLE clock (
            id BIGINT PRIMARY KEY CHECK (id = 1),
            -- All steps that the gateway's time has followed, together.
            steps BIGINT NOT NULL,
            -- The gateway's time when it followed the last one, and the last position of then.
            stepped_at BIGINT NOT NULL,
            position BIGINT NOT NULL,
            -- The run of the machine, and what has to be added to how long that has lasted for the gateway's time.
            boot TEXT COLLATE "C",
            boot_offset BIGINT
                CONSTRAINT clock_boot_offset_check CHECK ((boot_offset IS NULL) = (boot IS NULL))
        ) \(Storage.singleRow)
        """,
        "INSERT INTO clock (id, steps, stepped_at, position) VALUES (1, 0, 0, 0)",
        """
        CREATE TABLE instance (
            id BIGINT PRIMARY KEY CHECK (id = 1),
            name TEXT COLLATE "C" NOT NULL CHECK (length(name) BETWEEN 1 AND 64)
        )
        """,
    ]
}

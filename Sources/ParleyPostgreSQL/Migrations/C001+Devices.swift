extension C001 {
    /// Devices with their tokens and keys, and those that wait to be linked.
    static let devices = [
        """
        CREATE TABLE devices (
            "user" TEXT COLLATE "C" NOT NULL REFERENCES users (id),
            id TEXT COLLATE "C" NOT NULL CHECK (length(id) BETWEEN 1 AND 64),
            token_id BYTEA NOT NULL CHECK (length(token_id) = 16),
            -- The request that made the token and when, so that a repeat of it is known.
            token_request BYTEA CHECK (length(token_request) = 16),
            token_at BIGINT
                CONSTRAINT devices_token_at_check CHECK ((token_at IS NULL) = (token_request IS NULL)),
            created_at BIGINT NOT NULL,
            expires_at BIGINT NOT NULL,
            revoked_at BIGINT,
            identity_key BYTEA CHECK (length(identity_key) = 32),
            signing_key BYTEA CHECK (length(signing_key) = 32),
            signature BYTEA CHECK (length(signature) = 64),
            keys_at BIGINT
                CONSTRAINT devices_keys_at_check CHECK ((keys_at IS NULL) = (identity_key IS NULL)),
            previous_token_id BYTEA CHECK (length(previous_token_id) = 16),
            previous_until BIGINT
                CONSTRAINT devices_previous_until_check
                    CHECK ((previous_until IS NULL) = (previous_token_id IS NULL)),
            name_reused_at BIGINT,
            made_by_user TEXT COLLATE "C",
            made_by_device TEXT COLLATE "C"
                CONSTRAINT devices_made_by_device_check
                    CHECK ((made_by_device IS NULL) = (made_by_user IS NULL)),
            certificate BYTEA
                CONSTRAINT devices_certificate_check CHECK (length(certificate) = 64 AND identity_key IS
                    NOT NULL AND signing_key IS NOT NULL OR certificate IS NULL),
            issued_at BIGINT
                CONSTRAINT devices_issued_at_check CHECK ((issued_at IS NULL) = (certificate IS NULL)),
            name TEXT COLLATE "C",
            last_seen BIGINT,
            PRIMARY KEY ("user", id)
        )
        """,
        "CREATE INDEX devices_of_maker ON devices (made_by_user, made_by_device) WHERE made_by_user IS NOT NULL",
        """
        CREATE TABLE link_offers (
            "user" TEXT COLLATE "C" NOT NULL,
            device TEXT COLLATE "C" NOT NULL,
            identity_key BYTEA NOT NULL CHECK (length(identity_key) = 32),
            signing_key BYTEA NOT NULL CHECK (length(signing_key) = 32),
            link_key BYTEA NOT NULL CHECK (length(link_key) = 32),
            expires_at BIGINT NOT NULL,
            -- What the request was that has approved it, so that a repeat of it is known.
            approval BYTEA CHECK (length(approval) = 16),
            PRIMARY KEY ("user", device),
            FOREIGN KEY ("user", device) REFERENCES devices ("user", id)
        )
        """,
        "CREATE INDEX link_offers_by_end ON link_offers (expires_at)",
    ]
}

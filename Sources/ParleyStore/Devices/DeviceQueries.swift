import ParleyProtocol

/// A live device of a user who is not disabled, as rules see it.
package struct DeviceState: Hashable, Sendable {
    package let address: DeviceAddress
    /// The `jti` of its token.
    package let tokenID: UUIDValue
    package let createdAt: Timestamp
    package let expiresAt: Timestamp
    package let role: DeviceRole
    /// The token before a renewal, until the new one has signed in; its end may have come.
    package let previousToken: RenewedToken?
    /// When it was given the name of a device that had been revoked.
    package let nameReusedAt: Timestamp?
}

package struct DeviceQueries {
    let database: Database

    /// The device, unless it is unknown or revoked, or its user disabled: whoever has its token may do what its role
    /// says.
    package func device(_ address: DeviceAddress) throws(StoreError) -> DeviceState? {
        try devices([address])[address]
    }

    /// Without unknown and revoked devices, and those of disabled users.
    func devices(_ addresses: some Collection<DeviceAddress>) throws(StoreError) -> [DeviceAddress: DeviceState] {
        let keys = addresses.map { [BoundValue.text($0.user.text), .text($0.device.text)] }
        return try database.table(keys, key: "(?, ?)") { keys in
            """
            SELECT \(deviceColumns) FROM (VALUES \(keys)) AS k CROSS JOIN devices d CROSS JOIN users u
            WHERE d.user = k.column1 AND d.id = k.column2 AND d.revoked_at IS NULL AND u.id = d.user
                AND u.disabled_at IS NULL
            """
        } _: { row in
            let device = try DeviceState(row)
            return (device.address, device)
        }
    }

    /// Whether the device was ever made, revoked or not.
    package func exists(_ address: DeviceAddress) throws -> Bool {
        try database.row(
            #"SELECT 1 FROM devices WHERE "user" = ? AND id = ?"#, [address.user.text, address.device.text]) != nil
    }

    /// Whether the device is not revoked, whether its user is disabled or not.
    package func isLive(_ address: DeviceAddress) throws(StoreError) -> Bool {
        try database.row(
            #"SELECT 1 FROM devices WHERE "user" = ? AND id = ? AND revoked_at IS NULL"#,
            [address.user.text, address.device.text]) != nil
    }

    /// Every device that may sign in, for the broker.
    package func readAll(_ body: (DeviceState) throws -> Void) throws {
        try database.each(
            """
            SELECT \(deviceColumns) FROM devices d JOIN users u ON u.id = d.user
            WHERE d.revoked_at IS NULL AND u.disabled_at IS NULL
            """
        ) { try body(DeviceState($0)) }
    }

    package func summaries(of user: UserID) throws(StoreError) -> [DeviceSummary] {
        try database.list(
            """
            SELECT d.id, d.name, d.created_at, d.last_seen, d.expires_at, d.identity_key IS NOT NULL,
                d.certificate IS NOT NULL, p.provider, p.registered_at
            FROM devices d LEFT JOIN push_registrations p ON p."user" = d."user" AND p.device = d.id
            WHERE d."user" = ? AND d.revoked_at IS NULL ORDER BY d.id
            """, [user.text]
        ) { row in
            let provider = (row[7] as String?).map { Named<PushProvider>($0) }
            return DeviceSummary(
                device: try row.level(0), name: row[1], createdAt: row.time(2), lastSeen: row.optionalTime(3),
                expiresAt: row.time(4), hasKeys: row[5], isCertified: row[6],
                push: provider.map { PushRegistrationSummary(provider: $0, registeredAt: row.time(8)) })
        }
    }

    /// The published keys of the user's live devices, in the order of their ids.
    package func keys(of user: UserID) throws(StoreError) -> [DeviceKeys] { try keys(of: [user])[user] ?? [] }

    package func keys(of device: DeviceAddress) throws(StoreError) -> DeviceKeys? {
        try keys(of: device.user).first { $0.device == device.device }
    }

    /// The published keys of the live devices of these users; of a user who has published none the list is empty.
    func keys(of users: some Collection<UserID>) throws(StoreError) -> [UserID: [DeviceKeys]] {
        var keys: [UserID: [DeviceKeys]] = [:]
        for user in users { keys[user] = [] }
        try database.read(users.map { [.text($0.text)] }, key: "?") { users in
            """
            SELECT "user", id, identity_key, signing_key, signature, certificate, issued_at, keys_at FROM devices
            WHERE "user" IN (\(users)) AND revoked_at IS NULL AND identity_key IS NOT NULL ORDER BY "user", id
            """
        } _: { row in
            keys[try row.level(0), default: []].append(
                DeviceKeys(
                    device: try row.level(1), identityKey: row.bytes(2) ?? [], signingKey: row.bytes(3),
                    signature: row.bytes(4),
                    certificate: row.bytes(5).map { DeviceCertificate(signature: $0, issuedAt: row.time(6)) },
                    createdAt: row.time(7)))
        }
        return keys
    }

    /// The live devices whose tokens came from `maker`, directly or through other operators' devices that it has made;
    /// not itself.
    package func made(by maker: DeviceAddress) throws(StoreError) -> [DeviceAddress] {
        try database.list(
            """
            WITH RECURSIVE made ("user", id) AS (
                SELECT "user", id FROM devices WHERE made_by_user = ? AND made_by_device = ?
                UNION
                SELECT d.user, d.id FROM made JOIN devices d ON d.made_by_user = made.user AND d.made_by_device = made.id
            )
            SELECT d.user, d.id FROM made JOIN devices d ON d.user = made.user AND d.id = made.id
            WHERE d.revoked_at IS NULL ORDER BY d.user, d.id
            """, [maker.user.text, maker.device.text]
        ) { DeviceAddress(user: try $0.level(0), device: try $0.level(1)) }.filter { $0 != maker }
    }
}

package struct DeviceWrites {
    let database: Database

    /// Revokes a device: its token signs in no more, and its keys are removed.
    package func revoke(_ address: DeviceAddress, at now: Timestamp) throws(StoreError) {
        try database.run(
            """
            UPDATE devices SET revoked_at = ?, previous_token_id = NULL, previous_until = NULL, identity_key = NULL,
                signing_key = NULL, signature = NULL, keys_at = NULL, certificate = NULL, issued_at = NULL,
                name = NULL, last_seen = NULL
            WHERE "user" = ? AND id = ? AND revoked_at IS NULL
            """, [now.milliseconds, address.user.text, address.device.text])
        try database.run(
            #"DELETE FROM link_offers WHERE "user" = ? AND device = ?"#, [address.user.text, address.device.text])
        try PushRegistrationWrites(database: database).remove(address, at: now)
    }

    package func setKeys(_ keys: DeviceKeys, of user: UserID) throws(StoreError) {
        try database.run(
            """
            UPDATE devices SET identity_key = ?, signing_key = ?, signature = ?, certificate = ?, issued_at = ?,
                keys_at = ?
            WHERE "user" = ? AND id = ? AND revoked_at IS NULL
            """,
            [
                keys.identityKey, keys.signingKey, keys.signature,
                keys.certificate?.signature, keys.certificate?.issuedAt.milliseconds,
                keys.createdAt.milliseconds, user.text, keys.device.text,
            ])
    }

    package func setName(_ name: String, of address: DeviceAddress) throws(StoreError) {
        try database.run(
            #"UPDATE devices SET name = ? WHERE "user" = ? AND id = ? AND revoked_at IS NULL"#,
            [name, address.user.text, address.device.text])
    }

    package func setLastSeen(_ devices: [(device: DeviceAddress, seenAt: Timestamp)]) throws(StoreError) {
        try database.run(
            devices.map { [.text($0.device.user.text), .text($0.device.device.text), .time($0.seenAt)] },
            row: "(CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT))"
        ) { rows in
            """
            UPDATE devices SET last_seen = v.column3 FROM (VALUES \(rows)) AS v
            WHERE devices.user = v.column1 AND devices.id = v.column2 AND devices.revoked_at IS NULL
            """
        }
    }

    /// Inserts a device, or replaces its token: the one before signs in no more. A revoked device of that name is
    /// replaced by one without keys.
    ///
    /// - Parameters:
    ///   - request: the digest of the request for it, 16 bytes, if there was one.
    ///   - maker: the operator's device that asked for it, if one did.
    package func put(
        _ address: DeviceAddress, tokenID: UUIDValue, now: Timestamp, expiresAt: Timestamp, request: [UInt8]? = nil,
        maker: DeviceAddress? = nil
    ) throws(StoreError) {
        try database.run(
            """
            INSERT INTO devices ("user", id, token_id, token_request, token_at, created_at, expires_at, made_by_user,
                made_by_device)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT ("user", id) DO UPDATE
            SET token_id = excluded.token_id, token_request = excluded.token_request, token_at = excluded.token_at,
                expires_at = excluded.expires_at, made_by_user = excluded.made_by_user,
                made_by_device = excluded.made_by_device, previous_token_id = NULL, previous_until = NULL,
                name_reused_at = CASE WHEN devices.revoked_at IS NULL THEN devices.name_reused_at ELSE ? END, revoked_at = NULL
            """,
            [
                address.user.text, address.device.text, tokenID.bytes, request,
                request.map { _ in now.milliseconds }, now.milliseconds, expiresAt.milliseconds, maker?.user.text,
                maker?.device.text, now.milliseconds,
            ])
    }
}

private let deviceColumns = """
    d.user, d.id, d.token_id, d.created_at, d.expires_at, u.role, d.previous_token_id, d.previous_until, d.name_reused_at
    """

extension DeviceState {
    fileprivate init(_ row: Row) throws(StoreError) {
        let previous: RenewedToken? =
            row.isNull(6) ? nil : RenewedToken(tokenID: try row.uuidValue(6), endsAt: row.time(7))
        // A departed user has no live devices.
        guard let role = UserRole(rawValue: row.text(5))?.deviceRole else { throw .inconsistent(.roleWithoutDevices) }
        self.init(
            address: DeviceAddress(user: try row.level(0), device: try row.level(1)), tokenID: try row.uuidValue(2),
            createdAt: row.time(3), expiresAt: row.time(4), role: role,
            previousToken: previous, nameReusedAt: row.optionalTime(8))
    }
}

import Foundation
import GRDB
import ParleyProtocol

/// A live device, as decisions need it.
package struct DeviceState: Hashable, Sendable {
    package let address: DeviceAddress
    /// The `jti` of its token.
    package let tokenID: UUIDValue
    package let createdAt: Timestamp
    package let expiresAt: Timestamp
    package let isOperator: Bool
    /// The token before a renewal, until the new one has signed in; its end may have come.
    package let previousToken: RenewedToken?
    /// When it was given the name of a device that had been revoked.
    package let nameReusedAt: Timestamp?

    package init(
        address: DeviceAddress, tokenID: UUIDValue, createdAt: Timestamp, expiresAt: Timestamp, isOperator: Bool,
        previousToken: RenewedToken? = nil, nameReusedAt: Timestamp? = nil
    ) {
        self.address = address
        self.tokenID = tokenID
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.isOperator = isOperator
        self.previousToken = previousToken
        self.nameReusedAt = nameReusedAt
    }
}

extension Snapshot {
    /// The device, unless it is unknown or revoked.
    package func device(_ address: DeviceAddress) throws -> DeviceState? {
        let row = try database.row(
            """
            SELECT \(deviceColumns) FROM devices d
            JOIN users u ON u.id = d.user WHERE d.user = ? AND d.id = ? AND d.revoked_at IS NULL
            """, [address.user.text, address.device.text])
        return try row.map { try DeviceState($0) }
    }

    /// Whether the device was ever made, revoked or not.
    package func hasDevice(_ address: DeviceAddress) throws -> Bool {
        try database.row(
            "SELECT 1 FROM devices WHERE user = ? AND id = ?", [address.user.text, address.device.text]) != nil
    }

    /// Every live device, for the broker.
    package func everyDevice(_ body: (DeviceState) throws -> Void) throws {
        let rows = try database.rows(
            """
            SELECT \(deviceColumns) FROM devices d
            JOIN users u ON u.id = d.user WHERE d.revoked_at IS NULL
            """)
        while let row = try rows.next() { try body(DeviceState(row)) }
    }

    package func devices(of user: UserID) throws -> [DeviceSummary] {
        var devices: [DeviceSummary] = []
        let rows = try database.rows(
            """
            SELECT id, name, created_at, last_seen, expires_at, identity_key IS NOT NULL, certificate IS NOT NULL
            FROM devices WHERE user = ? AND revoked_at IS NULL ORDER BY id
            """, [user.text])
        while let row = try rows.next() {
            devices.append(
                DeviceSummary(
                    device: try row.level(0), name: row[1], createdAt: row.time(2), lastSeen: row.optionalTime(3),
                    expiresAt: row.time(4), hasKeys: row[5], isCertified: row[6]))
        }
        return devices
    }

    /// The published keys of the user's live devices.
    package func keys(of user: UserID) throws -> [DeviceKeys] {
        var keys: [DeviceKeys] = []
        let rows = try database.rows(
            """
            SELECT \(keyColumns) FROM devices
            WHERE user = ? AND revoked_at IS NULL AND identity_key IS NOT NULL ORDER BY id
            """, [user.text])
        while let row = try rows.next() { keys.append(try DeviceKeys(row)) }
        return keys
    }

    /// What a live device has published.
    package func keys(of device: DeviceAddress) throws -> DeviceKeys? {
        let row = try database.row(
            """
            SELECT \(keyColumns) FROM devices
            WHERE user = ? AND id = ? AND revoked_at IS NULL AND identity_key IS NOT NULL
            """, [device.user.text, device.device.text])
        return try row.map { try DeviceKeys($0) }
    }
}

extension WriteTransaction {
    /// Ends a device: its token opens nothing any more, and its keys are nobody's.
    package func revokeDevice(_ address: DeviceAddress, at now: Timestamp) throws {
        try database.run(
            """
            UPDATE devices SET revoked_at = ?, previous_token_id = NULL, previous_until = NULL, identity_key = NULL,
                signing_key = NULL, signature = NULL, keys_at = NULL, certificate = NULL, issued_at = NULL,
                name = NULL, last_seen = NULL
            WHERE user = ? AND id = ? AND revoked_at IS NULL
            """, [now.milliseconds, address.user.text, address.device.text])
        try database.run(
            "DELETE FROM link_offers WHERE user = ? AND device = ?", [address.user.text, address.device.text])
    }

    package func setKeys(_ keys: DeviceKeys, of user: UserID) throws {
        try database.run(
            """
            UPDATE devices SET identity_key = ?, signing_key = ?, signature = ?, certificate = ?, issued_at = ?,
                keys_at = ?
            WHERE user = ? AND id = ? AND revoked_at IS NULL
            """,
            [
                Data(keys.identityKey), keys.signingKey.map { Data($0) }, keys.signature.map { Data($0) },
                keys.certificate.map { Data($0.signature) }, keys.certificate?.issuedAt.milliseconds,
                keys.createdAt.milliseconds, user.text, keys.device.text,
            ])
    }

    /// What people call a live device.
    package func setName(_ name: String, of address: DeviceAddress) throws {
        try database.run(
            "UPDATE devices SET name = ? WHERE user = ? AND id = ? AND revoked_at IS NULL",
            [name, address.user.text, address.device.text])
    }

    /// When a live device has last asked for something.
    package func setLastSeen(_ seenAt: Timestamp, of address: DeviceAddress) throws {
        try database.run(
            "UPDATE devices SET last_seen = ? WHERE user = ? AND id = ? AND revoked_at IS NULL",
            [seenAt.milliseconds, address.user.text, address.device.text])
    }
}

private let keyColumns = "id, identity_key, signing_key, signature, certificate, issued_at, keys_at"

extension DeviceKeys {
    /// From the columns of `keyColumns`.
    fileprivate init(_ row: Row) throws {
        self.init(
            device: try row.level(0), identityKey: row.bytes(1) ?? [], signingKey: row.bytes(2),
            signature: row.bytes(3),
            certificate: row.bytes(4).map { DeviceCertificate(signature: $0, issuedAt: row.time(5)) },
            createdAt: row.time(6))
    }
}

private let deviceColumns = """
    d.user, d.id, d.token_id, d.created_at, d.expires_at, u.role, d.previous_token_id, d.previous_until, d.name_reused_at
    """

extension DeviceState {
    fileprivate init(_ row: Row) throws {
        guard let tokenID = UUIDValue(bytes: row.bytes(2) ?? []) else {
            throw StoreError.failed(code: 0, message: "a token id")
        }
        var previous: RenewedToken?
        if let bytes = row.bytes(6) {
            guard let tokenID = UUIDValue(bytes: bytes) else { throw StoreError.failed(code: 0, message: "a token id") }
            previous = RenewedToken(tokenID: tokenID, endsAt: row.time(7))
        }
        self.init(
            address: DeviceAddress(user: try row.level(0), device: try row.level(1)), tokenID: tokenID,
            createdAt: row.time(3), expiresAt: row.time(4), isOperator: row[5] == UserRole.operator.rawValue,
            previousToken: previous, nameReusedAt: row.optionalTime(8))
    }
}

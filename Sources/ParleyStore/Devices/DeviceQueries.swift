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
            SELECT id, created_at, expires_at, identity_key IS NOT NULL FROM devices
            WHERE user = ? AND revoked_at IS NULL ORDER BY id
            """, [user.text])
        while let row = try rows.next() {
            devices.append(
                DeviceSummary(device: try row.level(0), createdAt: row.time(1), expiresAt: row.time(2), hasKeys: row[3])
            )
        }
        return devices
    }

    /// The published keys of the user's live devices.
    package func keys(of user: UserID) throws -> [DeviceKeys] {
        var keys: [DeviceKeys] = []
        let rows = try database.rows(
            """
            SELECT id, identity_key, signing_key, signature, keys_at FROM devices
            WHERE user = ? AND revoked_at IS NULL AND identity_key IS NOT NULL ORDER BY id
            """, [user.text])
        while let row = try rows.next() {
            keys.append(
                DeviceKeys(
                    device: try row.level(0), identityKey: row.bytes(1) ?? [], signingKey: row.bytes(2),
                    signature: row.bytes(3), createdAt: row.time(4)))
        }
        return keys
    }

    /// The user's live devices that have published keys.
    package func devicesWithKeys(of user: UserID) throws -> [DeviceID] {
        try keys(of: user).map(\.device)
    }
}

extension WriteTransaction {
    /// Ends a device: its token opens nothing any more, and its keys are nobody's.
    package func revokeDevice(_ address: DeviceAddress, at now: Timestamp) throws {
        try database.run(
            """
            UPDATE devices SET revoked_at = ?, previous_token_id = NULL, previous_until = NULL, identity_key = NULL, signing_key = NULL, signature = NULL, keys_at = NULL
            WHERE user = ? AND id = ? AND revoked_at IS NULL
            """, [now.milliseconds, address.user.text, address.device.text])
    }

    package func setKeys(_ keys: PublishKeys, of address: DeviceAddress, at now: Timestamp) throws {
        try database.run(
            """
            UPDATE devices SET identity_key = ?, signing_key = ?, signature = ?, keys_at = ?
            WHERE user = ? AND id = ? AND revoked_at IS NULL
            """,
            [
                Data(keys.identityKey), keys.signingKey.map { Data($0) }, keys.signature.map { Data($0) },
                now.milliseconds, address.user.text, address.device.text,
            ])
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

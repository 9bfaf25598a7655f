import Foundation
import GRDB
import ParleyProtocol

/// A live device, as decisions need it.
package struct DeviceState: Hashable, Sendable {
    package let address: DeviceAddress
    /// The `jti` of the one token that is accepted.
    package let tokenID: UUIDValue
    package let createdAt: Timestamp
    package let expiresAt: Timestamp
    package let isOperator: Bool

    package init(
        address: DeviceAddress, tokenID: UUIDValue, createdAt: Timestamp, expiresAt: Timestamp, isOperator: Bool
    ) {
        self.address = address
        self.tokenID = tokenID
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.isOperator = isOperator
    }
}

/// The request that made a device's token.
package struct TokenOrigin: Hashable, Sendable {
    /// Of everything that makes two requests the same, 16 bytes.
    package let digest: [UInt8]
    package let at: Timestamp
}

extension Snapshot {
    /// The device, unless it is unknown or revoked.
    package func device(_ address: DeviceAddress) throws -> DeviceState? {
        let row = try database.row(
            """
            SELECT d.user, d.id, d.token_id, d.created_at, d.expires_at, u.role FROM devices d
            JOIN users u ON u.id = d.user WHERE d.user = ? AND d.id = ? AND d.revoked_at IS NULL
            """, [address.user.text, address.device.text])
        return try row.map { try DeviceState($0) }
    }

    /// What made the device's token, and when; `nil` if the device is unknown or revoked, or no request made its token.
    package func tokenOrigin(of address: DeviceAddress) throws -> TokenOrigin? {
        let row = try database.row(
            """
            SELECT token_request, token_at FROM devices
            WHERE user = ? AND id = ? AND revoked_at IS NULL AND token_request IS NOT NULL
            """, [address.user.text, address.device.text])
        return row.map { TokenOrigin(digest: $0.bytes(0) ?? [], at: $0.time(1)) }
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
            SELECT d.user, d.id, d.token_id, d.created_at, d.expires_at, u.role FROM devices d
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
    /// Makes a device, or gives it a new token; a revoked one lives again, without its old keys.
    ///
    /// - Parameter request: the digest of the request for it, 16 bytes, if there was one.
    package func putDevice(
        _ address: DeviceAddress, tokenID: UUIDValue, now: Timestamp, expiresAt: Timestamp, request: [UInt8]? = nil
    ) throws {
        try database.run(
            """
            INSERT INTO devices (user, id, token_id, token_request, token_at, created_at, expires_at)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (user, id) DO UPDATE
            SET token_id = excluded.token_id, token_request = excluded.token_request, token_at = excluded.token_at,
                expires_at = excluded.expires_at, revoked_at = NULL
            """,
            [
                address.user.text, address.device.text, Data(tokenID.bytes), request.map { Data($0) },
                request.map { _ in now.milliseconds }, now.milliseconds, expiresAt.milliseconds,
            ])
    }

    /// Ends a device: its token opens nothing any more, and its keys are nobody's.
    package func revokeDevice(_ address: DeviceAddress, at now: Timestamp) throws {
        try database.run(
            """
            UPDATE devices SET revoked_at = ?, identity_key = NULL, signing_key = NULL, signature = NULL, keys_at = NULL
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

extension DeviceState {
    fileprivate init(_ row: Row) throws {
        guard let tokenID = UUIDValue(bytes: row.bytes(2) ?? []) else {
            throw StoreError.failed(code: 0, message: "a token id")
        }
        self.init(
            address: DeviceAddress(user: try row.level(0), device: try row.level(1)), tokenID: tokenID,
            createdAt: row.time(3), expiresAt: row.time(4), isOperator: row[5] == UserRole.operator.rawValue)
    }
}

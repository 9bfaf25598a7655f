import Foundation
import GRDB
import ParleyProtocol

/// A token in whose place a renewal has put another one.
package struct RenewedToken: Hashable, Sendable {
    package let tokenID: UUIDValue
    /// It signs in no longer than until then.
    package let endsAt: Timestamp

    package init(tokenID: UUIDValue, endsAt: Timestamp) {
        self.tokenID = tokenID
        self.endsAt = endsAt
    }
}

/// The request that made a device's token.
package struct TokenOrigin: Hashable, Sendable {
    /// Of everything that makes two requests the same, 16 bytes.
    package let digest: [UInt8]
    package let at: Timestamp

    package init(digest: [UInt8], at: Timestamp) {
        self.digest = digest
        self.at = at
    }
}

extension Snapshot {
    /// What made the device's token, and when; `nil` if the device is unknown or revoked, or no request made its token.
    package func tokenOrigin(of address: DeviceAddress) throws(StoreError) -> TokenOrigin? {
        let row = try database.row(
            """
            SELECT token_request, token_at FROM devices
            WHERE "user" = ? AND id = ? AND revoked_at IS NULL AND token_request IS NOT NULL
            """, [address.user.text, address.device.text])
        return row.map { TokenOrigin(digest: $0.bytes(0) ?? [], at: $0.time(1)) }
    }

    /// The live devices whose tokens came from `maker`, directly or through other operators' devices that it has made;
    /// not itself.
    package func devicesMade(by maker: DeviceAddress) throws(StoreError) -> [DeviceAddress] {
        var made: [DeviceAddress] = []
        let rows = try database.rows(
            """
            WITH RECURSIVE made ("user", id) AS (
                SELECT "user", id FROM devices WHERE made_by_user = ? AND made_by_device = ?
                UNION
                SELECT d.user, d.id FROM made JOIN devices d ON d.made_by_user = made.user AND d.made_by_device = made.id
            )
            SELECT d.user, d.id FROM made JOIN devices d ON d.user = made.user AND d.id = made.id
            WHERE d.revoked_at IS NULL ORDER BY d.user, d.id
            """, [maker.user.text, maker.device.text])
        while let row = try rows.next() {
            made.append(DeviceAddress(user: try row.level(0), device: try row.level(1)))
        }
        return made.filter { $0 != maker }
    }
}

extension WriteTransaction {
    /// Makes a device, or makes its token anew: whatever signed it in before does so no more. The name of a revoked one
    /// is given to another, which has none of its keys.
    ///
    /// - Parameters:
    ///   - request: the digest of the request for it, 16 bytes, if there was one.
    ///   - maker: the operator's device that asked for it, if one did.
    package func putDevice(
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
                address.user.text, address.device.text, Data(tokenID.bytes), request.map { Data($0) },
                request.map { _ in now.milliseconds }, now.milliseconds, expiresAt.milliseconds, maker?.user.text,
                maker?.device.text, now.milliseconds,
            ])
    }

    /// Gives a device a new token in the place of `previous`, which signs in until the new one has.
    ///
    /// - Parameter request: the digest of the request for it, 16 bytes, if there was one.
    package func renewToken(
        of address: DeviceAddress, to tokenID: UUIDValue, expiresAt: Timestamp, previous: RenewedToken,
        request: [UInt8]?, now: Timestamp
    ) throws(StoreError) {
        try database.run(
            """
            UPDATE devices SET token_id = ?, expires_at = ?, previous_token_id = ?, previous_until = ?,
                token_request = ?, token_at = ?
            WHERE "user" = ? AND id = ? AND revoked_at IS NULL
            """,
            [
                Data(tokenID.bytes), expiresAt.milliseconds, Data(previous.tokenID.bytes),
                previous.endsAt.milliseconds, request.map { Data($0) }, request.map { _ in now.milliseconds },
                address.user.text, address.device.text,
            ])
    }

    /// The request that was last answered with the device's token.
    package func setTokenOrigin(_ origin: TokenOrigin?, of address: DeviceAddress) throws(StoreError) {
        try database.run(
            #"UPDATE devices SET token_request = ?, token_at = ? WHERE "user" = ? AND id = ? AND revoked_at IS NULL"#,
            [
                origin.map { Data($0.digest) }, origin?.at.milliseconds, address.user.text, address.device.text,
            ])
    }

    /// The device's token has signed in: the one before it is worth nothing from now on.
    ///
    /// - Returns: whether there was one, and `tokenID` is the device's token.
    package func endPreviousToken(of address: DeviceAddress, by tokenID: UUIDValue) throws(StoreError) -> Bool {
        try database.run(
            """
            UPDATE devices SET previous_token_id = NULL, previous_until = NULL
            WHERE "user" = ? AND id = ? AND token_id = ? AND previous_token_id IS NOT NULL AND revoked_at IS NULL
            """, [address.user.text, address.device.text, Data(tokenID.bytes)])
        return database.changesCount > 0
    }
}

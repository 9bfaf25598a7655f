import ParleyProtocol

/// A token that a renewal has replaced.
package struct RenewedToken: Hashable, Sendable {
    package let tokenID: UUIDValue
    /// It signs in no longer than until then.
    package let endsAt: Timestamp

    package init(tokenID: UUIDValue, endsAt: Timestamp) { (self.tokenID, self.endsAt) = (tokenID, endsAt) }
}

/// The request that made a device's token.
package struct TokenOrigin: Hashable, Sendable {
    /// Of everything that makes two requests the same, 16 bytes.
    package let digest: [UInt8]
    package let at: Timestamp

    package init(digest: [UInt8], at: Timestamp) { (self.digest, self.at) = (digest, at) }
}

package struct TokenQueries {
    let database: Database

    /// `nil` for an unknown or revoked device, and for a token without a request.
    package func origin(of address: DeviceAddress) throws(StoreError) -> TokenOrigin? {
        try database.first(
            """
            SELECT token_request, token_at FROM devices
            WHERE "user" = ? AND id = ? AND revoked_at IS NULL AND token_request IS NOT NULL
            """, [address.user.text, address.device.text]
        ) { TokenOrigin(digest: $0.bytes(0) ?? [], at: $0.time(1)) }
    }
}

package struct TokenWrites {
    let database: Database

    /// Replaces a device's token. `previous`, the one before, signs in until the new one has.
    ///
    /// - Parameter request: the digest of the request for it, 16 bytes, if there was one.
    package func renew(
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
                tokenID.bytes, expiresAt.milliseconds, previous.tokenID.bytes,
                previous.endsAt.milliseconds, request, request.map { _ in now.milliseconds },
                address.user.text, address.device.text,
            ])
    }

    /// Sets the request that was last answered with the device's token.
    package func setOrigin(_ origin: TokenOrigin?, of address: DeviceAddress) throws(StoreError) {
        try database.run(
            #"UPDATE devices SET token_request = ?, token_at = ? WHERE "user" = ? AND id = ? AND revoked_at IS NULL"#,
            [origin?.digest, origin?.at.milliseconds, address.user.text, address.device.text])
    }

    /// Removes the token before the device's token, which has signed in.
    ///
    /// - Returns: whether there was one, and `tokenID` is the device's token.
    package func endPrevious(of address: DeviceAddress, by tokenID: UUIDValue) throws(StoreError) -> Bool {
        try database.change(
            """
            UPDATE devices SET previous_token_id = NULL, previous_until = NULL
            WHERE "user" = ? AND id = ? AND token_id = ? AND previous_token_id IS NOT NULL AND revoked_at IS NULL
            """, [address.user.text, address.device.text, tokenID.bytes]) > 0
    }
}

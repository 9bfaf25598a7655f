import ParleyProtocol
import ParleyRules

package struct LinkQueries {
    let database: Database

    /// The device's offer, unless it has expired.
    package func link(of device: DeviceAddress, now: Timestamp) throws(StoreError) -> StoredLink? {
        try database.first(
            """
            SELECT identity_key, signing_key, link_key, expires_at, approval FROM link_offers
            WHERE "user" = ? AND device = ? AND expires_at > ?
            """, [device.user.text, device.device.text, now.milliseconds]
        ) { row in
            StoredLink(
                link: PendingLink(
                    device: device.device,
                    offer: LinkOffer(
                        identityKey: row.bytes(0) ?? [], signingKey: row.bytes(1) ?? [], linkKey: row.bytes(2) ?? []),
                    expiresAt: row.time(3)), approval: row.bytes(4))
        }
    }

    /// The expiries of the open offers of a user's other devices, in order.
    package func ends(of user: UserID, besides device: DeviceID, now: Timestamp) throws(StoreError) -> [Timestamp] {
        try database.list(
            """
            SELECT expires_at FROM link_offers WHERE "user" = ? AND device <> ? AND expires_at > ? AND approval IS NULL
            ORDER BY expires_at
            """, [user.text, device.text, now.milliseconds]
        ) { $0.time(0) }
    }
}

package struct LinkWrites {
    let database: Database

    /// Replaces a device's offer, and removes all expired ones.
    package func save(_ link: PendingLink, of user: UserID, now: Timestamp) throws(StoreError) {
        try database.run("DELETE FROM link_offers WHERE expires_at <= ?", [now.milliseconds])
        try database.run(
            """
            INSERT INTO link_offers ("user", device, identity_key, signing_key, link_key, expires_at)
            VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT ("user", device) DO UPDATE SET identity_key = excluded.identity_key,
                signing_key = excluded.signing_key, link_key = excluded.link_key, expires_at = excluded.expires_at,
                approval = NULL
            """,
            [
                user.text, link.device.text, link.offer.identityKey, link.offer.signingKey,
                link.offer.linkKey, link.expiresAt.milliseconds,
            ])
    }

    /// - Parameter approval: the digest of the approving request, 16 bytes.
    package func setApproval(_ approval: [UInt8], of device: DeviceAddress) throws(StoreError) {
        try database.run(
            #"UPDATE link_offers SET approval = ? WHERE "user" = ? AND device = ?"#,
            [approval, device.user.text, device.device.text])
    }
}

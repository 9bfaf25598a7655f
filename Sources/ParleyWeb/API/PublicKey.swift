import ParleyProtocol

/// A user's public key in the form of the older guide, in which a user has one device: `user_id, public_key,
/// created_at, devices`.
struct PublicKey: GatewayObject {
    let user: UserID
    /// X25519, 32 bytes.
    let key: [UInt8]
    let createdAt: Timestamp
    let devices: [DeviceKeys]

    /// - Parameter device: the newest if `nil`.
    /// - Returns: `nil` for a user whose devices have published no keys.
    init?(_ keys: UserKeys, of device: DeviceID?) {
        let newest = keys.devices.max { ($0.createdAt, $0.device) < ($1.createdAt, $1.device) }
        guard let shown = keys.devices.first(where: { $0.device == device }) ?? newest else { return nil }
        (user, key, createdAt, devices) = (keys.user, shown.identityKey, shown.createdAt, keys.devices)
    }

    init<Pass: FieldPass<PublicKey>>(fields pass: inout Pass) throws(Pass.Failure) {
        user = try pass.required("user_id", \.user)
        key = try pass.required("public_key", \.key, as: .base64(32))
        createdAt = try pass.required("created_at", \.createdAt)
        devices = try pass.required("devices", \.devices, as: .objects())
    }

    /// The response for a reply to `keys/get` or `keys/publish`; `nil` for a malformed reply.
    static func response(to reply: [UInt8], of device: DeviceID?) -> APIResponse? {
        guard let data = try? JSONObject(parsing: reply).object("data"), let keys = try? UserKeys(members: data)
        else { return nil }
        guard let key = PublicKey(keys, of: device) else {
            return APIResponse(Rejection(.notFound, "This user has published no key."))
        }
        return APIResponse(status: 200, body: key.json)
    }
}

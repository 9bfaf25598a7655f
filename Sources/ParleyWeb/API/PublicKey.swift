import ParleyProtocol

/// A user's public key in the form of the older guide, in which a user has one device: `user_id, public_key,
/// created_at, devices`.
struct PublicKey: Hashable, Sendable {
    let keys: UserKeys
    /// The device of the key.
    let device: DeviceKeys

    /// - Parameter device: the newest if `nil`.
    /// - Returns: `nil` for a user whose devices have published no keys.
    init?(_ keys: UserKeys, of device: DeviceID?) {
        let newest = keys.devices.max { ($0.createdAt, $0.device) < ($1.createdAt, $1.device) }
        guard let shown = keys.devices.first(where: { $0.device == device }) ?? newest else { return nil }
        (self.keys, self.device) = (keys, shown)
    }

    var json: [UInt8] {
        JSONWriter.object { object in
            object.member("user_id", keys.user)
            object.member("public_key", base64: device.identityKey)
            object.member("created_at", device.createdAt)
            object.member("devices", array: keys.devices) { $1.write(to: &$0) }
        }
    }

    /// The response for a reply to `keys/get` or `keys/publish`; `nil` for a malformed reply.
    static func response(to reply: [UInt8], of device: DeviceID?) -> APIResponse? {
        guard let data = try? JSONObject(parsing: reply).object("data"), let keys = try? UserKeys(members: data)
        else { return nil }
        guard let key = PublicKey(keys, of: device) else {
            return APIResponse(Rejection(.notFound, "This user has published no key."))
        }
        return APIResponse(status: APIResource.publicKey.status, body: key.json)
    }
}

import ParleyProtocol

extension DeviceCredentials {
    /// Reads `{"username","client_id","password","expires_at"}`; `nil` for anything else.
    package init?(json bytes: [UInt8]) {
        guard let object = try? JSONObject(parsing: bytes) else { return nil }
        self.init(object)
    }

    package init?(_ object: JSONObject) {
        guard let credentials = try? DeviceCredentials(members: object) else { return nil }
        self = credentials
    }

    /// The credentials as one line of JSON, with the time of storing as `kept_at`.
    func json(storedAt time: Timestamp) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { object in
            writeMembers(to: &object)
            object.member("kept_at", time)
        }
        return writer.finish()
    }

    static func storedAt(in json: [UInt8]) -> Timestamp? {
        guard let object = try? JSONObject(parsing: json), let time = try? object.text("kept_at", maximum: 64)
        else { return nil }
        return Timestamp(time)
    }

    /// The credentials of a device's main connection.
    package init(of device: DeviceAddress, password: String, expiresAt: Timestamp) {
        self.init(
            username: device.user.text, clientID: "\(device.user):\(device.device)", password: password,
            expiresAt: expiresAt)
    }

    package func belong(to device: DeviceAddress) -> Bool {
        username == device.user.text && clientID == "\(device.user):\(device.device)"
    }
}

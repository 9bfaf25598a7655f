// The writing side of a request: what a device sends, and what `Request(_:_:)` reads back as the same.

extension RequestKind {
    /// Where it is asked for.
    public var operation: Operation {
        Operation(validatedArea: area, verb: String(rawValue.dropFirst(area.utf8.count + 1)))
    }
}

extension Request {
    public var kind: RequestKind {
        switch self {
        case .sendMessage: .sendMessage
        case .getHistory: .getHistory
        case .markReceipt(let mark):
            switch mark.kind {
            case .delivered: .markDelivered
            case .read: .markRead
            }
        case .startTyping: .startTyping
        case .stopTyping: .stopTyping
        case .createConversation: .createConversation
        case .getConversation: .getConversation
        case .listConversations: .listConversations
        case .publishKeys: .publishKeys
        case .getKeys: .getKeys
        case .listDevices: .listDevices
        case .revokeDevice: .revokeDevice
        case .renewDevice: .renewDevice
        case .getProfile: .getProfile
        case .setProfile: .setProfile
        case .addUser: .addUser
        case .listUsers: .listUsers
        case .addDevice: .addDevice
        case .revokeUserDevice: .revokeUserDevice
        }
    }

    /// The payload, as a device sends it to ``RequestKind/operation``.
    ///
    /// - Parameter requestID: a name for the request, which the reply repeats; at most 64 characters.
    public func payload(requestID: String? = nil) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { object in
            if let requestID { object.member("request_id", requestID) }
            writeFields(to: &object)
        }
        return writer.finish()
    }

    private func writeFields(to object: inout JSONWriter) {
        switch self {
        case .sendMessage(let message): message.writeFields(to: &object)
        case .getHistory(let request): request.writeFields(to: &object)
        case .markReceipt(let mark): mark.writeFields(to: &object)
        case .startTyping(let id), .stopTyping(let id), .getConversation(let id): object.member("conversation_id", id)
        case .createConversation(let request): request.writeFields(to: &object)
        case .listConversations(let request): request.writeFields(to: &object)
        case .publishKeys(let keys): keys.writeFields(to: &object)
        case .getKeys(let user): object.member("user_id", user)
        case .listDevices: break
        case .revokeDevice(let device): object.member("device_id", device)
        case .renewDevice(let device): if let device { object.member("device_id", device) }
        case .getProfile(let user): if let user { object.member("user_id", user) }
        case .setProfile(let change): change.writeFields(to: &object)
        case .addUser(let request): request.writeFields(to: &object)
        case .listUsers(let request): request.writeFields(to: &object)
        case .addDevice(let request): request.writeFields(to: &object)
        case .revokeUserDevice(let address): address.writeFields(to: &object)
        }
    }
}

extension DeviceAddress {
    func writeFields(to object: inout JSONWriter) {
        object.member("user_id", user)
        object.member("device_id", device)
    }
}

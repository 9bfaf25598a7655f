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
        case .changeMessage(let change):
            switch change.change {
            case .edit: .editMessage
            case .delete: .deleteMessage
            case .react: .reactToMessage
            }
        case .getHistory: .getHistory
        case .sync: .sync
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
        case .updateConversation: .updateConversation
        case .addMembers: .addMembers
        case .removeMember: .removeMember
        case .setRole: .setRole
        case .leaveConversation: .leaveConversation
        case .listRequests: .listRequests
        case .acceptRequest: .acceptRequest
        case .declineRequest: .declineRequest
        case .publishKeys: .publishKeys
        case .getKeys: .getKeys
        case .backUpAccount: .backUpAccount
        case .getAccountBackup: .getAccountBackup
        case .offerLink: .offerLink
        case .getLink: .getLink
        case .approveLink: .approveLink
        case .listDevices: .listDevices
        case .revokeDevice: .revokeDevice
        case .renewDevice: .renewDevice
        case .getProfile: .getProfile
        case .setProfile: .setProfile
        case .follow: .follow
        case .unfollow: .unfollow
        case .block: .block
        case .unblock: .unblock
        case .listPeople(let request):
            switch request.list {
            case .followers: .listFollowers
            case .following: .listFollowing
            case .blocked: .listBlocked
            }
        case .canMessage: .canMessage
        case .createReport: .createReport
        case .addUser: .addUser
        case .listUsers: .listUsers
        case .addDevice: .addDevice
        case .revokeUserDevice: .revokeUserDevice
        case .explainPermission: .explainPermission
        case .listReports: .listReports
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
        case .startTyping(let id), .stopTyping(let id), .getConversation(let id), .leaveConversation(let id),
            .acceptRequest(let id), .declineRequest(let id):
            object.member("conversation_id", id)
        case .changeMessage(let change): change.writeFields(to: &object)
        case .sync(let request): request.writeFields(to: &object)
        case .updateConversation(let request): request.writeFields(to: &object)
        case .addMembers(let request): request.writeFields(to: &object)
        case .removeMember(let request): request.writeFields(to: &object)
        case .setRole(let request): request.writeFields(to: &object)
        case .listRequests(let page), .listReports(let page): page.writeFields(to: &object)
        case .createConversation(let request): request.writeFields(to: &object)
        case .listConversations(let request): request.writeFields(to: &object)
        case .publishKeys(let keys): keys.writeFields(to: &object)
        case .getKeys(let user), .follow(let user), .unfollow(let user), .block(let user), .unblock(let user),
            .canMessage(let user):
            object.member("user_id", user)
        case .listPeople(let request): request.writeFields(to: &object)
        case .createReport(let request): request.writeFields(to: &object)
        case .explainPermission(let request): request.writeFields(to: &object)
        case .backUpAccount(let backup): backup.writeFields(to: &object)
        case .offerLink(let offer): offer.writeFields(to: &object)
        case .approveLink(let approval): approval.writeFields(to: &object)
        case .listDevices, .getAccountBackup: break
        case .revokeDevice(let device), .getLink(let device): object.member("device_id", device)
        case .renewDevice(let device): if let device { object.member("device_id", device) }
        case .getProfile(let user): if let user { object.member("user_id", user) }
        case .setProfile(let change): change.writeFields(to: &object)
        case .addUser(let request): request.writeFields(to: &object)
        case .listUsers(let request): request.writeFields(to: &object)
        case .addDevice(let request): request.writeFields(to: &object)
        case .revokeUserDevice(let request): request.writeFields(to: &object)
        }
    }
}

extension DeviceAddress {
    package func writeFields(to object: inout JSONWriter) {
        object.member("user_id", user)
        object.member("device_id", device)
    }
}

import ParleyProtocol

/// What a request is answered with, and what is published because of it.
struct Answer: Sendable {
    /// `nil` where none is wanted, and where an event is as good.
    var reply: [UInt8]?
    var events: [Publication] = []
}

extension World {
    /// Answers a request as a gateway does.
    mutating func answer(_ operation: Operation, _ payload: [UInt8], from device: DeviceAddress) -> Answer {
        do throws(Rejection) {
            guard let kind = RequestKind(operation) else { throw .unknownOperation }
            let object: JSONObject
            do throws(JSONFault) {
                object = try JSONObject(parsing: payload)
            } catch {
                throw Rejection(.badRequest, "no JSON object")
            }
            register(device.user)
            return try answer(try Request(kind, object), from: device)
        } catch {
            return .refused(error)
        }
    }

    private mutating func answer(_ request: Request, from device: DeviceAddress) throws(Rejection) -> Answer {
        switch request {
        case .sendMessage(let message): return try send(message, from: device)
        case .changeMessage(let change): return try self.change(change, from: device)
        case .getHistory(let request): return try history(request, for: device.user)
        case .sync(let request): return try sync(request, for: device.user)
        case .markReceipt(let mark): return try self.mark(mark, by: device.user)
        case .startTyping, .stopTyping: return Answer()
        case .createConversation(let request): return try create(request, by: device.user)
        case .getConversation(let id): return try get(id, for: device.user)
        case .listConversations(let request): return list(request, for: device.user)
        case .addMembers(let request):
            return try changeMembers(of: request.conversation, for: device.user) { members in
                members += request.users.filter { !members.contains($0) }
            }
        case .removeMember(let request):
            return try changeMembers(of: request.conversation, for: device.user) { $0.removeAll { $0 == request.user } }
        case .leaveConversation(let id):
            return try changeMembers(of: id, for: device.user) { $0.removeAll { $0 == device.user } }
        case .updateConversation(let request): return try get(request.conversation, for: device.user)
        case .publishKeys(let keys): return try publish(keys, of: device)
        case .getKeys(let user): return try keys(of: user, for: device)
        case .listDevices: return devices(of: device)
        case .offerLink(let offer): return self.offer(offer, by: device)
        case .getLink(let other): return try link(of: other, for: device.user)
        case .approveLink(let approval): return try approve(approval, by: device)
        case .backUpAccount(let backup): return backUp(backup, of: device.user)
        case .getAccountBackup: return try backup(of: device.user)
        case .setRole, .listRequests, .acceptRequest, .declineRequest, .revokeDevice, .renewDevice, .getProfile,
            .setProfile, .follow, .unfollow, .block,
            .unblock, .listPeople, .canMessage, .createReport, .addUser, .listUsers, .addDevice, .revokeUserDevice,
            .explainPermission, .listReports:
            throw .unknownOperation
        }
    }
}

extension Answer {
    static func accepted(_ events: [Publication] = [], data: (inout JSONWriter) -> Void) -> Answer {
        var writer = JSONWriter()
        Reply.writeAccepted(nil, to: &writer, data: data)
        return Answer(reply: writer.finish(), events: events)
    }

    static func refused(_ rejection: Rejection) -> Answer {
        var writer = JSONWriter()
        Reply.writeRejected(nil, rejection, to: &writer)
        return Answer(reply: writer.finish())
    }
}

extension Rejection {
    static let unknownOperation = Rejection(.notFound, "There is no such operation.")
}

extension Publication {
    init(_ topic: Topic, _ audience: Audience = .subscribers, _ write: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        write(&writer)
        self.init(topic: topic.name, payload: writer.finish(), audience: audience)
    }
}

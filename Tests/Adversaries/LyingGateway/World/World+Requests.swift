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
            guard let type = OperationTable.request(operation) else { throw .unknownOperation }
            let object: JSONObject
            do throws(JSONError) {
                object = try JSONObject(parsing: payload)
            } catch {
                throw Rejection(.badRequest, "no JSON object")
            }
            register(device.user)
            answered += 1
            return try answer(try type.init(members: object), from: device)
        } catch {
            return .refused(error)
        }
    }

    private mutating func answer(_ request: any Request, from device: DeviceAddress) throws(Rejection) -> Answer {
        switch request {
        case let message as SendMessage: return try send(message, from: device)
        case let request as any MessageChange: return try change(request.change, from: device)
        case let request as GetHistory: return try history(request, for: device.user)
        case let request as SyncRequest: return try sync(request, for: device.user)
        case let request as any ReceiptRequest: return try mark(request.mark, by: device.user)
        case is StartTyping, is StopTyping: return Answer()
        case let request as CreateConversation: return try create(request, by: device.user)
        case let request as GetConversation: return try get(request.conversation, for: device.user)
        case let request as ListConversations: return list(request, for: device.user)
        case let request as AddMembers:
            return try changeMembers(of: request.conversation, for: device.user) { members in
                members += request.users.filter { !members.contains($0) }
            }
        case let request as RemoveMember:
            return try changeMembers(of: request.conversation, for: device.user) { $0.removeAll { $0 == request.user } }
        case let request as LeaveConversation:
            return try changeMembers(of: request.conversation, for: device.user) { $0.removeAll { $0 == device.user } }
        case let request as UpdateConversation: return try get(request.conversation, for: device.user)
        case let keys as PublishKeys: return try publish(keys, of: device)
        case let request as GetKeys: return try keys(of: request.user, for: device)
        case is ListDevices: return devices(of: device)
        case let offer as LinkOffer: return self.offer(offer, by: device)
        case let request as GetLink: return try link(of: request.device, for: device.user)
        case let approval as LinkApproval: return try approve(approval, by: device)
        case let backup as BackUpAccount: return backUp(backup, of: device.user)
        case is GetAccountBackup: return try backup(of: device.user)
        case let request as RegisterPush: return try register(request.target, of: device)
        case is UnregisterPush: return try register(nil, of: device)
        case let report as ReportMetrics: return try accept(report)
        case let request as ListRequests: return requests(request)
        default:
            guard var answer = try answerTraining(request, from: device) else { throw .unknownOperation }
            answer.reply = answer.reply.map { fieldLies?.told($0) ?? $0 }
            return answer
        }
    }
}

extension World {
    private mutating func register(_ target: PushTarget?, of device: DeviceAddress) throws(Rejection) -> Answer {
        if let pushRefusal { throw pushRefusal }
        pushTargets[device] = target
        return .value(PushRegistered(registeredAt: target == nil ? nil : now))
    }

    /// Notes a report and gives it back, but for one of more steps than anybody takes.
    private mutating func accept(_ report: ReportMetrics) throws(Rejection) -> Answer {
        if let reportRefusal { throw reportRefusal }
        guard report.values.steps ?? 0 <= 1_000_000 else { throw Rejection(.badRequest, "steps: nobody walks so far") }
        reports.append(report)
        let day = DayMetrics(
            day: report.day, timeZone: report.timeZone, version: report.version, values: report.values)
        return .accepted { day.write(to: &$0) }
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

    init(_ event: some AddressedEvent, _ audience: Audience = .subscribers) {
        self.init(event.topic, audience, event.writeEvent)
    }

    init<E: PersonalEvent>(_ event: E, to user: UserID, _ audience: Audience = .subscribers) {
        self.init(.user(user, E.channel), audience, event.writeEvent)
    }
}

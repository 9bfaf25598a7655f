import ParleyProtocol
import ParleyRules
import ParleyStore

extension MessagingPermission {
    /// `data` of `social/can-message`.
    var reply: PermissionReply {
        let (canMessage, isLimited) =
            switch self {
            case .allowed: (true, false)
            case .request: (true, true)
            case .refused(.requestLimit): (false, true)
            case .refused(.oneself), .refused(.unknownUser), .refused(.blocked): (false, false)
            }
        return PermissionReply(canMessage: canMessage, isLimited: isLimited, reason: reason)
    }

    fileprivate var verdict: String {
        switch self {
        case .allowed: "allowed"
        case .request: "request"
        case .refused: "refused"
        }
    }
}

extension PermissionExplanation {
    /// `data` of `admin/explain`. It shows blocks: operators alone may ask.
    func write(to writer: inout JSONWriter) {
        writer.object { object in
            object.member("from", sender)
            object.member("to", recipient)
            object.member("permission", permission.verdict)
            object.member("reason", permission.reason)
            object.member("steps", array: steps) { writer, step in
                writer.object {
                    $0.member("step", step.step.rawValue)
                    $0.member("holds", step.holds)
                    $0.member("detail", step.detail)
                }
            }
        }
    }
}

extension CanMessage: QueryHandler {
    func answer(in context: QueryContext) throws -> WrittenAnswer {
        let (caller, snapshot) = (context.caller.user, context.snapshot)
        try context.chargeLookup(of: user)
        let permission = MessagingPermission.decide(
            from: caller, to: user, try snapshot.contacts.contact(caller, user), now: context.now,
            renewal: context.reader.settings.requestRenewal)
        guard permission != .refused(.unknownUser) else { throw Rejection.userNotFound }
        return permission.reply.write
    }
}

extension ExplainPermission: QueryHandler {
    func answer(in context: QueryContext) throws -> WrittenAnswer {
        let contact = try context.snapshot.contacts.contact(sender, recipient)
        let explanation = PermissionExplanation(
            from: sender, to: recipient, contact, now: context.now,
            renewal: context.reader.settings.requestRenewal)
        return explanation.write
    }
}

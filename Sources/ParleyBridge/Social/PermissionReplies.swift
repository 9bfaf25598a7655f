import ParleyProtocol
import ParleyRules
import ParleyStore

extension MessagingPermission {
    /// `data` of `social/can-message`.
    func write(to writer: inout JSONWriter) {
        writer.object { object in
            switch self {
            case .allowed:
                object.member("can_message", true)
                object.member("is_limited", false)
            case .request:
                object.member("can_message", true)
                object.member("is_limited", true)
            case .refused(.requestLimit):
                object.member("can_message", false)
                object.member("is_limited", true)
            case .refused(.oneself), .refused(.unknownUser), .refused(.blocked):
                object.member("can_message", false)
                object.member("is_limited", false)
            }
            object.member("reason", reason)
        }
    }

    /// What it comes to, in one word.
    fileprivate var verdict: String {
        switch self {
        case .allowed: "allowed"
        case .request: "request"
        case .refused: "refused"
        }
    }
}

extension PermissionExplanation {
    /// `data` of `admin/explain`. It tells of blocks: operators alone may ask.
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

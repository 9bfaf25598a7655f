import ParleyProtocol

/// The text of a mail: ASCII, in lines of at most 78 characters (RFC 5322 §2.1.1), without links and pictures, so that
/// reading it is not tracked.
struct MailWording: Sendable {
    let subject: String
    let lines: [String]

    init(_ text: MailText) {
        switch text {
        case .verification(let code, let user):
            subject = "Your verification code"
            lines = MailWording.lines(
                ["Use this code to confirm that this email address is that of the account", "\(user):"], code,
                "If you did not ask for it, ignore this mail.")
        case .reset(let code, let user):
            subject = "Your password reset code"
            lines = MailWording.lines(
                ["Use this code to set a new password. It signs out all devices of your account", "\(user):"], code,
                "If you did not ask for it, ignore this mail: your password stays as it is.")
        case .alreadyRegistered(let user):
            subject = "You already have an account"
            lines = [
                "Somebody, perhaps you, wants to use this email address for another account.",
                "It is that of your account", "\(user),", "and nothing has changed.", "",
                "To sign in, use your password. If you have forgotten it, ask for a new one.",
            ]
        case .replaced:
            subject = "Your email address was removed"
            lines = [
                "Your account has another email address now, or none. This one signs in no",
                "more, and gets no more mails.", "",
                "If that was not you, somebody else uses your account: sign out all devices,",
                "or ask the operator of your gateway for help.",
            ]
        case .added:
            subject = "There is a new way to sign in to your account"
            lines = [
                "Your account signs in by an account of yours elsewhere now, too.", "",
                "If that was not you, somebody else uses your account: set a new password,",
                "which signs out all devices, and remove that way to sign in.",
            ]
        }
    }

    /// The code stands on a line of its own, where people and ``MailDirectory`` find it.
    private static func lines(_ purpose: [String], _ code: AccountCode, _ otherwise: String) -> [String] {
        purpose + [
            "", MailWording.codeIndent + code.digits, "",
            "It is valid for \(AccountCode.minutesOfLife) minutes. Do not share it with anyone.", otherwise,
        ]
    }

    static let codeIndent = "    "
}

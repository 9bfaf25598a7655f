import ParleyProtocol

/// The text of a mail: ASCII, in lines of at most 78 characters (RFC 5322 §2.1.1), without links and pictures, so that
/// nobody learns who has read it.
struct MailWording: Sendable {
    let subject: String
    let lines: [String]

    init(_ text: MailText) {
        switch text {
        case .verification(let code):
            subject = "Your verification code"
            lines = MailWording.lines(
                "Use this code to confirm that this email address is yours:", code,
                "If you did not ask for it, ignore this mail.")
        case .reset(let code):
            subject = "Your password reset code"
            lines = MailWording.lines(
                "Use this code to set a new password. It signs out all your devices:", code,
                "If you did not ask for it, ignore this mail: your password stays as it is.")
        case .alreadyRegistered:
            subject = "You already have an account"
            lines = [
                "Somebody, perhaps you, has tried to register this email address.",
                "It already has an account, and nothing has changed.", "",
                "To sign in, use your password. If you have forgotten it, ask for a new one.",
            ]
        }
    }

    /// The code stands on a line of its own, where people and ``MailDirectory`` find it.
    private static func lines(_ purpose: String, _ code: MailCode, _ otherwise: String) -> [String] {
        [
            purpose, "", MailWording.codeIndent + code.digits, "",
            "It is valid for \(MailPeriods.codeMinutes) minutes. Do not share it with anyone.", otherwise,
        ]
    }

    static let codeIndent = "    "
}

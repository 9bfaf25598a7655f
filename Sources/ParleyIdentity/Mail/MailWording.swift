import ParleyProtocol

/// The words of a mail: ASCII, in lines of at most 78 characters (RFC 5322 §2.1.1), without a link or a picture, so
/// that nobody is told who has read it.
struct MailWording: Sendable {
    let subject: String
    let lines: [String]

    init(_ text: MailText) {
        switch text {
        case .verification(let code):
            subject = "Your code"
            lines = MailWording.lines(
                "With this code you confirm that this email address is yours:", code,
                "If you have not asked for it, you can ignore this mail.")
        case .reset(let code):
            subject = "Your code for a new password"
            lines = MailWording.lines(
                "With this code you set a new password, and sign out all your devices:", code,
                "If you have not asked for it, you can ignore this mail: your password stays.")
        case .alreadyRegistered:
            subject = "You have an account already"
            lines = [
                "Somebody, perhaps you, has tried to register this email address.",
                "It has an account already, and nothing has changed.", "",
                "To sign in, use your password. If you have forgotten it, ask for a new one.",
            ]
        }
    }

    /// The code stands on a line of its own, where people and ``MailDirectory`` find it.
    private static func lines(_ purpose: String, _ code: MailCode, _ otherwise: String) -> [String] {
        [
            purpose, "", MailWording.codeIndent + code.digits, "",
            "It counts for \(MailPeriods.codeMinutes) minutes. Tell it to nobody, whoever asks.", otherwise,
        ]
    }

    static let codeIndent = "    "
}

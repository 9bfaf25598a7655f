import ParleyClient
import ParleyCrypto
import ParleyProtocol

extension ChatMessage {
    /// The content, for people. Not printable yet.
    var text: String {
        switch content {
        case .opened(let content):
            switch kind {
            case .known(.message): protection.note.map { "(\($0)) \(content.value.shown)" } ?? content.value.shown
            case .known(.edit): "(edited) \(content.value.shown)"
            case .known(.reaction): "(reaction) \(content.value.shown)"
            case .known(.delete): "(deleted)"
            case .unknown(let name): "(\(name)) \(content.value.shown)"
            }
        case .system(let notice): notice.shown
        case .removed: "(deleted)"
        case .unreadable(let failure): "(cannot be opened: \(failure))"
        }
    }
}

extension ChatMessage.Protection {
    /// What a person should know of it. It stands before the text, so that no long text hides it.
    var note: String? {
        switch self {
        case .bound: nil
        case .legacy: "old app: not bound to this conversation"
        }
    }
}

extension MessageContent {
    /// For people. Not printable yet.
    var shown: String {
        switch self {
        case .text(let text): text
        case .dietPlan(let plan): card("diet plan", plan.planTitle, plan.aim, plan.summary, link?.description)
        case .workoutPlan(let plan): card("workout plan", plan.planTitle, plan.aim, plan.summary, link?.description)
        case .challenge(let challenge): card("challenge", challenge.title, challenge.aim, link?.description)
        case .voice(let note):
            card("voice", note.shownDuration, note.shownWaveform, "\(ByteCount(note.file.size))", note.file.shownType)
        case .image(let image):
            card("image", image.file.shownParts + [image.shownSize, image.caption])
        case .reaction(let emoji): emoji.isEmpty ? "taken back" : emoji
        case .resendRequest: "(could not be opened; asks to send it again)"
        case .file(let file): card("file", file.file.shownParts + [file.caption])
        case .unknown(let type, _): card(type)
        }
    }

    /// The kind of a card, and its parts.
    private func card(_ kind: String, _ parts: String?...) -> String { card(kind, parts) }

    private func card(_ kind: String, _ parts: [String?]) -> String {
        let text = parts.compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: ", ")
        return text.isEmpty ? "[\(kind)]" : "[\(kind)] \(text)"
    }
}

extension SystemNotice {
    fileprivate var shown: String {
        let about = user.map { " \($0)" } ?? ""
        let actor = by.map { " by \($0)" } ?? ""
        return "(\(event)\(about)\(actor))"
    }
}

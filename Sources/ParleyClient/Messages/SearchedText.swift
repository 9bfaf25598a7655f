import ParleyDeviceStore
import ParleyProtocol

extension KeptMessage {
    /// The searchable text: of its latest content, and none of a change.
    var searchable: SearchableText? {
        guard !record.isChange, let content = shownContent,
            let opened = try? MessageContent(type: record.type, json: content),
            let text = opened.searchedText
        else { return nil }
        return SearchableText(text: text, sentAt: record.createdAt)
    }
}

extension MessageContent {
    /// The visible words.
    fileprivate var searchedText: String? {
        switch self {
        case .text(let text): text
        case .dietPlan(let card): [card.planTitle, card.summary].compactMap { $0 }.joined(separator: "\n")
        case .workoutPlan(let card): [card.planTitle, card.summary].compactMap { $0 }.joined(separator: "\n")
        case .challenge(let card): card.title
        case .voice: nil
        case .image(let image): [image.file.name, image.caption].compactMap { $0 }.joined(separator: "\n")
        case .file(let file): [file.file.name, file.caption].compactMap { $0 }.joined(separator: "\n")
        case .reaction, .resendRequest, .unknown: nil
        }
    }
}

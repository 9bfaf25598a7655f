import ParleyClient
import ParleyProtocol

extension FeedNotification {
    /// The notification in words.
    ///
    /// - Parameter titles: what people call what it is about.
    func sentence(_ titles: Titles = Titles()) -> String {
        let actor = actor?.text ?? "somebody"
        let group = subject.group.map { " of \(titles[$0])" } ?? ""
        let challenge =
            subject.challenge.map { "challenge \($0.short)" } ?? "a challenge"
        switch type {
        case .known(.newMember):
            return subject.group.map { "\(titles[$0]): \(actor) joined" } ?? "\(actor) is a new member"
        case .known(.rankChange):
            return "\(actor) has passed you on the board \(subject.board ?? "")\(group)"
        case .known(.weekEnded): return "week \(subject.week ?? "")\(group) has ended"
        case .known(.challengeReceived): return "\(actor) challenges you: \(challenge)"
        case .known(.challengeAccepted): return "\(actor) has accepted \(challenge)"
        case .known(.challengeDeclined): return "\(actor) has declined \(challenge)"
        case .known(.challengeCancelled): return "\(actor) has cancelled \(challenge)"
        case .known(.challengeExpired): return "\(challenge) was not accepted in time"
        case .known(.challengeCompleted): return "\(challenge) has ended"
        case .known(.messageRequest): return "\(actor) wants to write"
        case .known(.reaction):
            let what =
                subject.message.map { "your message \($0.short)" }
                ?? subject.activity.map { "your activity \($0.short)" }
                ?? "something of yours"
            return "\(actor) has reacted to \(what)"
        case .unknown(let name): return name
        }
    }

    /// A line of the feed; an unread one is marked.
    func line(in zone: TimeZone, _ titles: Titles = Titles()) -> String {
        "\(isRead ? " " : "*") \(zone.civil(createdAt).stamp) \(sentence(titles))".printable
    }
}

extension ActivityItem {
    /// A line of a list, with who reacts how.
    func line(in zone: TimeZone) -> String {
        let description = description.map { ": \($0)" } ?? ""
        let reactions = reactions.sorted { $0.key < $1.key }.map { " \($0.value) \($0.key)" }.joined(separator: ",")
        let ends = reactions.isEmpty ? "" : "  [\(reactions.dropFirst())]"
        return "\(zone.civil(timestamp).stamp) \(user): \(title)\(description)\(ends)".printableLines
            .joined(separator: " ↵ ")
    }
}

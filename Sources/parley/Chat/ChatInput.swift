import ParleyProtocol

/// A line of a chat: a message or a command.
enum ChatInput: Hashable {
    /// A message, or a command that the transcript has no part in.
    case action(ChatState.Action)
    case help
    case history
    /// A command about a message: that with a number (`#12`), or the selected one, or the newest.
    case message(MessageCommand, Int?)
    /// A command about a user: one who is named, or the other of a direct conversation.
    case person(PersonCommand, UserID?)
    case markRead
    case list
    /// The conversation that a text names.
    case change(to: String)
    case bell
    case open(String)
    /// The file of this number.
    case openFile(Int)
    /// The file of this number, and where it is saved.
    case saveFile(Int, String?)
    /// The file of this number, or all of them.
    case pause(Int?)
    /// The file of this number, or all of them.
    case resume(Int?)
    case nothing
    /// A command that does not exist, or that is not written so.
    case unknown(String)

    enum MessageCommand: Hashable {
        case reply(String)
        case edit(String)
        case delete
        case react(String)
    }

    enum PersonCommand: String, Hashable { case safety, accept, decline, follow, unfollow, block, unblock }

    /// Parses a line. Two `/` begin a message with one.
    init(_ text: String) {
        guard text.contains(where: { !$0.isWhitespace }) else {
            self = .nothing
            return
        }
        guard text.hasPrefix("/") else {
            self = .action(.send(text))
            return
        }
        guard !text.hasPrefix("//") else {
            self = .action(.send(String(text.dropFirst())))
            return
        }
        let words = text.split(maxSplits: 1, whereSeparator: \.isWhitespace)
        let rest = words.count > 1 ? words[1].trimmed : ""
        self = ChatInput(command: String(words[0].dropFirst()), rest) ?? .unknown(String(words[0]))
    }

    private init?(command: String, _ rest: String) {
        if let input = ChatInput(about: command, rest) ?? ChatInput(ofFile: command, rest) {
            self = input
            return
        }
        switch (command, rest.isEmpty) {
        case ("help", true): self = .help
        case ("quit", true): self = .action(.end)
        case ("urgent", false): self = .action(.sendUrgently(rest))
        case ("expire", false):
            let words = rest.split(maxSplits: 1, whereSeparator: \.isWhitespace)
            guard words.count > 1, let lifetime = MessageLifetime(words[0]) else { return nil }
            self = .action(.sendDisappearing(words[1].trimmed, lifetime))
        case ("history", true): self = .history
        case ("search", false): self = .action(.search(rest))
        case ("requests", true): self = .action(.listRequests)
        case ("retry", true): self = .action(.retry)
        case ("read", true): self = .markRead
        case ("list", true), ("switch", true): self = .list
        case ("switch", false): self = .change(to: rest)
        case ("new", false):
            guard let user = UserID(rest) else { return nil }
            self = .action(.openDirect(user))
        case ("group", false):
            guard let group = NewGroup(rest) else { return nil }
            self = .action(.makeGroup(group))
        case ("members", true): self = .action(.showMembers)
        case ("board", true): self = .action(.showBoard)
        case ("bell", true): self = .bell
        default: return nil
        }
    }

    /// A command about a message or a user.
    private init?(about command: String, _ rest: String) {
        if let person = PersonCommand(rawValue: command) {
            let user = UserID(rest)
            guard rest.isEmpty || user != nil else { return nil }
            self = .person(person, user)
            return
        }
        guard ["reply", "edit", "delete", "react"].contains(command) else { return nil }
        var (number, text): (Int?, String) = (nil, rest)
        if rest.hasPrefix("#") {
            let words = rest.dropFirst().split(maxSplits: 1, whereSeparator: \.isWhitespace)
            if let found = words.first.flatMap({ Int($0) }) {
                (number, text) = (found, words.count > 1 ? words[1].trimmed : "")
            }
        }
        switch (command, text.isEmpty) {
        case ("reply", false): self = .message(.reply(text), number)
        case ("edit", false): self = .message(.edit(text), number)
        case ("delete", true): self = .message(.delete, number)
        case ("react", _): self = .message(.react(text), number)
        default: return nil
        }
    }

    private init?(ofFile command: String, _ rest: String) {
        switch (command, rest.isEmpty) {
        case ("file", false): self = .action(.sendFile(rest))
        case ("open", false): self = Int(rest).map { .openFile($0) } ?? .open(rest)
        case ("save", false):
            let words = rest.split(maxSplits: 1, whereSeparator: \.isWhitespace)
            let path = words.count > 1 ? words[1].trimmed : nil
            self = words.first.flatMap { Int($0) }.map { .saveFile($0, path) } ?? .unknown("/save \(rest)")
        case ("pause", true): self = .pause(nil)
        case ("pause", false): self = Int(rest).map { .pause($0) } ?? .unknown("/pause \(rest)")
        case ("resume", true): self = .resume(nil)
        case ("resume", false): self = Int(rest).map { .resume($0) } ?? .unknown("/resume \(rest)")
        default: return nil
        }
    }
}

/// The group that `/group` makes: its name, in quotes if it has blanks, and who is in it.
struct NewGroup: Hashable, Sendable {
    let name: String
    let users: [UserID]

    init?(_ text: String) {
        let rest: Substring
        if let quote = text.first, quote == "\"" || quote == "'" {
            guard let end = text.dropFirst().firstIndex(of: quote) else { return nil }
            name = String(text.dropFirst()[..<end])
            rest = text[end...].dropFirst()
        } else {
            let words = text.split(maxSplits: 1, whereSeparator: \.isWhitespace)
            name = words.first.map { String($0) } ?? ""
            rest = words.count > 1 ? words[1] : ""
        }
        let words = rest.split(whereSeparator: \.isWhitespace)
        users = words.compactMap { UserID(String($0)) }
        guard !name.isEmpty, users.count == words.count else { return nil }
    }
}

extension Substring {
    fileprivate var trimmed: String { String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed()) }
}

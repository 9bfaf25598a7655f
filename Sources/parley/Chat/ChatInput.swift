/// A line of a chat: a message or a command.
enum ChatInput: Hashable {
    /// A message, or a command that the transcript has no part in.
    case action(ChatState.Action)
    case help
    case history
    case edit(String)
    case delete
    case react(String)
    case markRead
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
    /// A command that does not exist.
    case unknown(String)

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
        switch (words[0], rest.isEmpty) {
        case ("/help", true): self = .help
        case ("/quit", true): self = .action(.end)
        case ("/urgent", false): self = .action(.sendUrgently(rest))
        case ("/history", true): self = .history
        case ("/search", false): self = .action(.search(rest))
        case ("/safety", true): self = .action(.showSafetyNumber)
        case ("/accept", true): self = .action(.accept)
        case ("/decline", true): self = .action(.decline)
        case ("/requests", true): self = .action(.listRequests)
        case ("/edit", false): self = .edit(rest)
        case ("/delete", true): self = .delete
        case ("/react", _): self = .react(rest)
        case ("/follow", true): self = .action(.follow(true))
        case ("/unfollow", true): self = .action(.follow(false))
        case ("/block", true): self = .action(.block(true))
        case ("/unblock", true): self = .action(.block(false))
        case ("/retry", true): self = .action(.retry)
        case ("/read", true): self = .markRead
        case ("/file", false): self = .action(.sendFile(rest))
        case ("/open", false): self = Int(rest).map { .openFile($0) } ?? .open(rest)
        case ("/save", false):
            let words = rest.split(maxSplits: 1, whereSeparator: \.isWhitespace)
            let path = words.count > 1 ? words[1].trimmed : nil
            self = words.first.flatMap { Int($0) }.map { .saveFile($0, path) } ?? .unknown("/save \(rest)")
        case ("/pause", true): self = .pause(nil)
        case ("/pause", false): self = Int(rest).map { .pause($0) } ?? .unknown("/pause \(rest)")
        case ("/resume", true): self = .resume(nil)
        case ("/resume", false): self = Int(rest).map { .resume($0) } ?? .unknown("/resume \(rest)")
        default: self = .unknown(String(words[0]))
        }
    }

    static let manual = """
        /history       shows older messages; so does Page Up
        /search TEXT   shows messages with all of these words
        /safety        shows the safety number, to be compared with the other's
        /urgent TEXT   sends TEXT, of which the other is notified in quiet hours, too
        /edit TEXT     puts TEXT in the place of your last message; /delete takes it away
        /react 👍      reacts to the other's last message; without anything it takes that back
        /requests      shows who wants to write to you
        /accept        accepts the other's changed keys, or message request; /decline puts that away
        /follow        follows the other; /unfollow, /block, /unblock
        /retry         sends again what could not be sent
        /file PATH     sends a file, or a picture
        /save N PATH   saves the file with the number N, in a directory or as a new file; without PATH here
        /open N        shows the picture with the number N, where the terminal can, or says what a file is
        /open LINK     shows what a parley:// link leads to, as a card has it
        /pause N       stops the file with the number N on its way, and /resume N lets it go on; without N all files
        /read          marks as read what cannot be opened, too
        /quit          ends the chat; so does Ctrl-D on an empty line
        Alt-Enter begins a new line. Two // begin a message with one.
        … waits, ✓ stored by the gateway, ✓✓ delivered, ✓✓ read
        """
}

extension Substring {
    fileprivate var trimmed: String {
        String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
}

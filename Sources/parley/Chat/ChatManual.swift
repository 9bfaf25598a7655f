/// What `/help` shows.
enum ChatManual {
    static let lines = """
        Tab              chooses a conversation, by arrows or letters; so does /switch NAME
        Alt-1 … Alt-9    goes to that of the list; Alt-N and Alt-P to the next and the one before
        Alt-A            goes to one with something unread
        /new NAME        opens the conversation with a user
        /group NAME USER…  makes a group, its name in quotes if it has blanks; without users one with a board
        /members         shows who is in it; /board how they stand in this week

        Alt-Up, Alt-Down choose a message for the next four; Esc or Ctrl-G leaves it
        /reply TEXT      answers the message; without a choice the other's last, with #12 that of this number
        /edit TEXT       puts TEXT in the place of a message of yours, the last without a choice
        /delete          takes a message of yours away
        /react 👍        reacts to a message; without anything it takes that back

        Page Up          shows older messages; so does /history
        /search WORDS    shows messages with all of these words
        /urgent TEXT     sends TEXT, of which the others are notified in quiet hours, too
        /expire 2h TEXT  sends TEXT, which disappears everywhere after two hours; also 90s, 10m, 3d, 4w
        /file PATH       sends a file, or a picture
        /save N PATH     saves the file with the number N, in a directory or as a new file; without PATH here
        /open N          shows the picture with the number N, where the terminal can, or says what a file is
        /open LINK       shows what a parley:// link leads to, as a card has it
        /pause N         stops the file with the number N on its way, /resume N lets it go on; without N all
        /retry           sends again what could not be sent
        /read            marks as read what was not shown or cannot be opened, too

        /requests        shows who wants to write to you
        /accept          accepts the other's changed keys, or message request; /decline puts that away
        /safety          shows the safety number, to be compared with the other's
        /follow          follows the other; /unfollow, /block, /unblock
                         In a group these take the name of a user.
        /bell            rings for what comes, or no more
        /quit            ends the chat; so does Ctrl-D on an empty line

        Alt-Enter begins a new line. Two // begin a message with one.
        … waits, ✓ stored by the gateway, ✓✓ delivered, ✓✓ read
        While a command about a message is written the messages have their numbers in the place of their times.
        """.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)

    /// The sentence about a command that does not exist, or that is not written so: then it says how.
    static func advice(on text: String) -> String {
        let command = text.prefix { !$0.isWhitespace }
        let own = lines.filter { $0.hasPrefix("\(command) ") }
        let mentions = lines.filter { $0.split { " ,;.".contains($0) }.contains(command) }
        let found = (own.isEmpty ? mentions : own).map { line in
            guard let gap = line.firstRange(of: "  ") else { return line }
            return "\(line[..<gap.lowerBound]): \(line[gap.upperBound...].drop { $0 == " " })"
        }
        if !found.isEmpty { return "\(command) is written so:\n\(found.joined(separator: "\n"))" }
        guard ChatInput(String(command)) == .unknown(String(command)) else {
            return "\(command) stands alone; /help says what there is."
        }
        return "There is no \(command); /help says what there is."
    }

    static let page = ChatPage("What there is (any other key than the arrows goes back)", lines)
}

import ParleyClient
import ParleyProtocol
import TerminalPictures

// Pictures on the whole screen, and the question whether the terminal has any.

extension ChatSession {
    /// Opens a file, as soon as it is known whether the terminal shows pictures. It is asked when the first file is
    /// opened; keys that are typed before it answers are keys as always.
    mutating func open(_ file: NumberedFile) {
        guard reached() != nil else { return }
        filesToOpen.append(file)
        if let pictures { return openFiles(pictures) }
        guard filesToOpen.count == 1 else { return }
        terminal.write(PictureSupport.question)
        start {
            try? await Task.sleep(for: PictureSupport.longestAnswer)
            return .attributesOverdue
        }
    }

    /// The terminal has answered, or did not in time; an answer that comes later is for the next file.
    mutating func openFiles(_ support: PictureSupport) {
        if pictures != .kitty { pictures = support }
        guard let conversation else { return }
        let room = PictureRoom(terminal.size, terminal.cell)
        for file in filesToOpen {
            let stop = downloads.begin(file.message, by: .openFile(file.message, number: file.number))
            chat.open(file, in: conversation, pictures ?? .none, room, until: stop, start, post)
        }
        filesToOpen = []
    }

    /// Gives the screen to a picture until the next key.
    mutating func show(_ picture: PictureDrawing, _ name: String) {
        shownPicture = picture
        screen.forget()
        let size = terminal.size
        let line = StyledText("\(name) · any key goes back to the chat", .faint).prefix(columns: size.columns)
        let row = "\u{1B}[\(size.rows);1H\u{1B}[2m\(line.text)\u{1B}[0m"
        terminal.write(Array("\u{1B}[0m\u{1B}[2J\u{1B}[H".utf8) + picture.bytes + Array(row.utf8))
    }

    mutating func leavePicture() {
        if let shownPicture { terminal.write(shownPicture.removal) }
        shownPicture = nil
    }
}

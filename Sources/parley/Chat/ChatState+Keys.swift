import ParleyClient
import ParleyProtocol

// Keys and lines.

extension ChatState {
    mutating func press(_ key: Key) -> [Action] {
        if overlay != nil { return pressOverOverlay(key) }
        let before = editor.text
        switch editor.apply(key) {
        case .edited:
            guard editor.text != before else { return [] }
            // Writing a command is no typing.
            let isMessage = !editor.text.isEmpty && !editor.text.hasPrefix("/")
            return [isMessage ? .typing : .stopTyping]
        case .submitted(let text): return submit(text)
        case .tooLong:
            transcript.append("A message holds at most \(LineEditor.longestText) bytes.", .warning)
            return []
        case .scroll(let up): return [.scroll(up: up)]
        case .end, .interrupt: return [.end]
        case .redraw: return [.redraw]
        case .beyond(let key): return press(key)
        }
    }

    private mutating func press(_ key: Key.Beyond) -> [Action] {
        switch key {
        case .tab:
            overlay = .switcher(ChatSwitcher())
            return []
        case .cancel: selection = nil
        case .older: select(older: true)
        case .newer: select(older: false)
        case .newest: (anchor, unseen, selection) = (nil, 0, nil)
        case .pick(let number):
            guard list.entries.indices.contains(number - 1) else { return [] }
            return go(to: list.entries[number - 1])
        case .nextUnread: return go(to: list.nextUnread(after: place.id))
        case .next: return go(to: list.beside(place.id, by: 1))
        case .previous: return go(to: list.beside(place.id, by: -1))
        }
        return []
    }

    private mutating func go(to entry: ChatEntry?) -> [Action] {
        overlay = nil
        guard let entry, entry.id != place.id else { return [] }
        return [.switchTo(entry.id)]
    }

    // MARK: Over the talk

    private mutating func pressOverOverlay(_ key: Key) -> [Action] {
        switch overlay {
        case .switcher(var switcher):
            let actions = press(key, &switcher)
            if case .switcher = overlay { overlay = .switcher(switcher) }
            return actions
        case .text(let page):
            guard let page = page.pressed(key, height: pageRows, of: overlayRows) else {
                overlay = nil
                return key == .redraw ? [.redraw] : []
            }
            overlay = .text(page)
        case nil: break
        }
        return []
    }

    private mutating func press(_ key: Key, _ switcher: inout ChatSwitcher) -> [Action] {
        switch key {
        case .text(let text) where switcher.filter.isEmpty && text.hasPrefix("/"):
            // A command, which the chat's own line takes.
            overlay = nil
            return press(key)
        case .text(let text), .paste(let text): switcher.write(text)
        case .backspace: switcher.deleteLast()
        case .up: switcher.move(by: -1, of: list)
        case .down: switcher.move(by: 1, of: list)
        case .pageUp: switcher.move(by: -pageRows, of: list)
        case .pageDown: switcher.move(by: pageRows, of: list)
        case .enter: return go(to: switcher.chosen(of: list))
        case .beyond(.tab), .beyond(.cancel), .interrupt: overlay = nil
        case .endOfInput: return [.end]
        case .redraw: return [.redraw]
        case .beyond(let key): return press(key)
        case .newLine, .delete, .deleteWord, .deleteToStart, .deleteToEnd, .restore, .left, .right, .wordLeft,
            .wordRight, .home, .end, .attributes:
            break
        }
        return []
    }

    // MARK: Messages that commands are about

    /// Goes from one message to the next, and shows it.
    private mutating func select(older: Bool) {
        let keys = transcript.items.compactMap { item -> ChatLine.Key? in
            guard let line = item.line, case .message = line.key, line.look.isOfPerson else { return nil }
            return line.key
        }
        let index = selection.flatMap { keys.lastIndex(of: $0) }
        switch (index, older) {
        case (nil, true): selection = keys.last
        case (nil, false): break
        case (let index?, true): selection = keys[max(index - 1, 0)]
        case (let index?, false): selection = index + 1 < keys.count ? keys[index + 1] : nil
        }
        wantsSelectionShown = selection != nil
        if selection == nil { (anchor, unseen) = (nil, 0) }
    }

    /// What a line that was written asks for.
    mutating func submit(_ text: String) -> [Action] {
        let input = ChatInput(text)
        let selected = selection
        // A message has left the screen when one writes: the newest is shown.
        if input != .nothing { (anchor, unseen, selection) = (nil, 0, nil) }
        switch input {
        case .action(let action):
            if action.isMessage {
                reading.removeMark()
                guard place != .nowhere else {
                    transcript.append("Choose a conversation first: Tab, /switch NAME or /new NAME.", .warning)
                    return []
                }
            }
            return [action]
        case .help: overlay = .text(ChatManual.page)
        case .list: overlay = .switcher(ChatSwitcher())
        case .history: return fetchOlder()
        case .message(let command, let number): return perform(command, number, selected)
        case .person(let command, let user):
            if let user = user ?? place.peer { return [.person(command, user)] }
            transcript.append("Say whom: /\(command.rawValue) NAME", .warning)
        case .markRead: return receivedNewest().map { [.markRead($0)] } ?? []
        case .change(let name): return change(to: name)
        case .bell:
            rings.toggle()
            transcript.append(rings ? "The bell rings for what comes." : "The bell does not ring any more.")
        case .open(let text):
            if let link = AppLink(text) { return [.open(link)] }
            transcript.append("This leads nowhere: a link begins with parley://", .warning)
        case .openFile(let number): return file(number).map { [.openFile($0, number: number)] } ?? []
        case .saveFile(let number, let path): return file(number).map { [.saveFile($0, path: path)] } ?? []
        case .pause(let number): return selectTransfers(number) { $0.obstacle != .paused }.map { .pause($0) }
        case .resume(let number): return selectTransfers(number) { $0.obstacle == .paused }.map { .resume($0) }
        case .nothing: break
        case .unknown(let command): transcript.append(ChatManual.advice(on: command), .warning)
        }
        return []
    }

    private mutating func change(to name: String) -> [Action] {
        switch list.entries.named(name) {
        case .one(let entry): return go(to: entry)
        case .none: transcript.append("No conversation is called \(name). /new NAME begins one.", .warning)
        case .several(let entries):
            let names = entries.map(\.candidate).joined(separator: ", ")
            transcript.append("Several are called so: \(names)", .warning)
        }
        return []
    }

    private mutating func perform(_ command: ChatInput.MessageCommand, _ number: Int?, _ selected: ChatLine.Key?)
        -> [Action]
    {
        switch command {
        case .reply(let text):
            reading.removeMark()
            return (target(number, selected) ?? receivedNewest(number, selected)).map { [.reply($0, text)] } ?? []
        case .edit(let text): return ownTarget(number, selected).map { [.change($0, .edit(text))] } ?? []
        case .delete: return ownTarget(number, selected).map { [.change($0, .delete)] } ?? []
        case .react(let emoji):
            guard emoji.isEmpty || Emoji(emoji) != nil else {
                transcript.append("A reaction is one emoji, such as 👍.", .warning)
                return []
            }
            return (target(number, selected) ?? receivedNewest(number, selected)).map { [.change($0, .react(emoji))] }
                ?? []
        }
    }

    /// The message of a number, or the one that was selected; `nil` where neither is said.
    private mutating func target(_ number: Int?, _ selected: ChatLine.Key?) -> MessageID? {
        if let number {
            guard let id = transcript.message(number) else {
                transcript.append("There is no message #\(number) here; /history shows older ones.", .warning)
                return nil
            }
            return id
        }
        if case .message(let id) = selected { return id }
        return nil
    }

    private mutating func ownTarget(_ number: Int?, _ selected: ChatLine.Key?) -> MessageID? {
        guard number != nil || selected != nil else {
            let id = transcript.newest(of: me.user)
            if id == nil { transcript.append("There is no message of yours here.", .warning) }
            return id
        }
        guard let id = target(number, selected) else { return nil }
        guard transcript.line(id)?.author == me.user else {
            transcript.append("Only your own messages can be changed.", .warning)
            return nil
        }
        return id
    }

    /// The others' newest message, unless another was named.
    private mutating func receivedNewest(_ number: Int? = nil, _ selected: ChatLine.Key? = nil) -> MessageID? {
        guard number == nil, selected == nil else { return nil }
        let id = transcript.newestReceived?.id
        if id == nil {
            let whose = place.peer.map { "\($0)'s" } ?? "others"
            transcript.append("There is no message of \(whose) here.", .warning)
        }
        return id
    }

    // MARK: Files

    private mutating func file(_ number: Int) -> MessageID? {
        let id = transcript.file(number)
        if id == nil { transcript.append("There is no file \(number) here.", .warning) }
        return id
    }

    /// The files on their way for which something holds: that with a number, or all.
    private mutating func selectTransfers(_ number: Int?, where isMeant: (ChatTransfer) -> Bool) -> [ChatTransfer.Key] {
        var message: MessageID?
        if let number {
            message = file(number)
            guard message != nil else { return [] }
        }
        let found = transfers.filter { isMeant($0) && (message == nil || $0.key.message == message) }.map(\.key)
        if found.isEmpty { transcript.append("There is no such file on its way.", .warning) }
        return found
    }
}

extension ChatState.Action {
    /// Whether it sends something to the conversation.
    fileprivate var isMessage: Bool {
        switch self {
        case .send, .sendUrgently, .sendDisappearing, .reply, .sendFile: true
        case .typing, .stopTyping, .fetchOlder, .search, .listRequests, .change, .person, .retry, .markRead, .open,
            .openFile, .saveFile, .pause, .resume, .switchTo, .openDirect, .makeGroup, .showMembers, .showBoard,
            .scroll, .redraw, .end:
            false
        }
    }
}

extension ChatLine.Look {
    /// Whether a person wrote it.
    var isOfPerson: Bool {
        switch self {
        case .received, .own: true
        case .unreadable, .earlier, .system: false
        }
    }
}

extension ChatPage {
    /// The page after a key; `nil` if the key puts it away.
    fileprivate func pressed(_ key: Key, height: Int, of count: Int) -> ChatPage? {
        var page = self
        switch key {
        case .up: page.scroll(by: -1, of: count, height: height)
        case .down: page.scroll(by: 1, of: count, height: height)
        case .pageUp: page.scroll(by: -height, of: count, height: height)
        case .pageDown: page.scroll(by: height, of: count, height: height)
        case .attributes: break
        case .text, .paste, .enter, .newLine, .backspace, .delete, .deleteWord, .deleteToStart, .deleteToEnd, .restore,
            .left, .right, .wordLeft, .wordRight, .home, .end, .interrupt, .endOfInput, .redraw, .beyond:
            return nil
        }
        return page
    }
}

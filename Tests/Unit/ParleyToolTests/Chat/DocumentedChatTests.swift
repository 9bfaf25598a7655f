import Foundation
import ParleyClient
import ParleyProtocol
import TestSupport
import Testing

@testable import parley

/// The pictures in `docs/chat.md` are these screens, row for row.
@Suite("The screens in docs/chat.md")
struct DocumentedChatTests {
    private enum Scene: String, CaseIterable {
        case group, wide, list, numbers, plain
    }

    private var state = ChatState(
        me: DeviceAddress(user: UserID(validated: "alice"), device: DeviceID(validated: "phone")))
    private let run = entry("Morning run", at: 3, unread: 2, readSeq: 2, author: "carol")
    private let bob = entry("bob", at: 2, unread: 1, author: "bob")
    private let eve = entry("eve", at: 1)

    init() {
        state.list.replaceAll([run, bob, eve])
        state.show(ChatPlace(run))
        state.link = .connected
        state.hasOlder = false
        var reply = line("Make it seven?", seq: 3)
        reply.quote = line("Six at the bridge?", seq: 1, author: "alice").quoted
        var own = line("Six at the bridge?", seq: 1, author: "alice", look: .own(.read))
        own.notes = "👍 2"
        for each in [
            own, line("See you there", seq: 2), reply, line("Fine with me", seq: 4, author: "carol"),
            line("Seven then", seq: 5, author: "alice", look: .own(.sent)),
        ] { state.transcript.insert(each) }
        _ = state.openAtUnread()
        state.wantsUnreadOnTop = false
    }

    private func rows(of scene: Scene) -> [String] {
        var (state, screen) = (state, ChatScreen(zone: .utc))
        var size = TerminalSize(columns: 80, rows: 12)
        switch scene {
        case .group: break
        case .wide: size = TerminalSize(columns: 110, rows: 12)
        case .list: _ = state.press(.beyond(.tab))
        case .numbers: _ = state.press(.text("/reply #2 I "))
        case .plain:
            var plain = PlainScreen(zone: .utc)
            return plain.lines(&state)
        }
        return screen.frame(&state, size: size).rows.map { $0.text.trimmingSpacesAtEnd() }
    }

    @Test("each is as it is drawn", arguments: Scene.allCases)
    private func picture(scene: Scene) throws {
        let page = try String(contentsOf: Document.folder.appending(path: "chat.md"), encoding: .utf8)
        let parts = page.components(separatedBy: "<!-- screen: \(scene.rawValue) -->\n\n```\n")
        let block = parts.count == 2 ? parts[1].components(separatedBy: "\n```").first : nil
        let drawn = rows(of: scene).joined(separator: "\n")
        #expect(block == drawn, "docs/chat.md, \(scene.rawValue):\n\(drawn)")
    }

    @Test("the page has every line of the manual, and no command that there is not")
    func manual() throws {
        let page = try String(contentsOf: Document.folder.appending(path: "chat.md"), encoding: .utf8)
        let parts = page.components(separatedBy: "<!-- screen: help -->\n\n```\n")
        #expect(parts.count == 2 && parts[1].hasPrefix(ChatManual.lines.joined(separator: "\n") + "\n```"))
        for line in ChatManual.lines where line.hasPrefix("/") {
            let words = line.split(separator: " ")
            guard let command = words.first else { continue }
            let forms = [
                "\(command)", "\(command) bob", "\(command) 1", "\(command) #1 x", "\(command) #1", "\(command) 2h x",
            ]
            #expect(forms.contains { ChatInput($0) != .unknown(String(command)) }, "\(command)")
        }
    }
}

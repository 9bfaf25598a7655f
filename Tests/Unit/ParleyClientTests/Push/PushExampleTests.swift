import Foundation
import ParleyClient
import ParleyCrypto
import ParleyProtocol
import TestSupport
import Testing

/// What an app shows, as little as there is.
struct Screen {
    private(set) var shown: [String] = []
    private(set) var removedUpTo: Int?

    mutating func show(_ title: String, _ text: String, _ push: OpenedPush) { shown.append("\(title): \(text)") }
    mutating func remove(_ position: OpenedPush.Position?) { removedUpTo = position?.seq }
}

// The example of `docs/client.md`.
func present(_ payload: [UInt8], _ opener: PushOpener, _ latest: inout LatestBadge, _ screen: inout Screen) throws {
    let push = try opener.open(push: payload)
    if let badge = push.badge { latest.merge(badge) }
    switch push.content {
    case .message(let pushed) where pushed.isRead: break
    case .message(let pushed):
        var title = "\(pushed.sender.user)"
        if pushed.isSenderVerified { title += " ✓" }
        if pushed.message.protection == .legacy { title += " (old app)" }
        if case .opened(let content) = pushed.message.content, case .text(let text) = content.value {
            screen.show(title, text, push)
        } else {
            screen.show(title, "a card, a picture or a file", push)
        }
    case .clear: screen.remove(push.position)
    case .feed(let notification): screen.show("News", notification.type.name, push)
    case .digest, .wakeUp: screen.show("Messages", "Something has come.", push)
    case .unopened(.reference), .unopened(.sealed): screen.show("Messages", "A new message.", push)
    case .test: screen.show("Test", "This device can be reached.", push)
    case .unopened: break
    }
}

@Suite("The page for app developers, on pushes")
struct PushExampleTests {
    private static let page =
        (try? String(contentsOf: Document.folder.appending(path: "client.md"), encoding: .utf8)) ?? ""

    @Test("its example shows messages once opened, takes away what was read, and never an older badge")
    func example() throws {
        let house = try PushFixture()
        var (latest, screen) = (LatestBadge(), Screen())
        let stranger = try house.record(by: .generate(for: device("mallory/phone")))
        for push in [
            try house.push(house.record()), house.push(nil), house.push(stranger), house.push(nil, type: .digest),
            house.push(nil, type: .feed(.challengeReceived)), house.push(nil, type: .test),
            house.push(nil, type: .clear), house.push(nil, user: house.bob.user),
        ] {
            try present(push.json(fitting: .max), house.opener, &latest, &screen)
        }
        #expect(
            screen.shown == [
                "bob: See you at six", "Messages: A new message.", "Messages: A new message.",
                "Messages: Something has come.", "News: challenge_received", "Test: This device can be reached.",
            ])
        #expect(screen.removedUpTo == 42 && latest.count == 3)
    }

    @Test("the page has the example as it is run here")
    func pageHasExample() throws {
        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
        let begin = try #require(source.range(of: "func present("))
        let end = try #require(source.range(of: "\n}\n", range: begin.lowerBound..<source.endIndex))
        let example = source[begin.lowerBound..<end.upperBound]
        #expect(Self.page.contains("<!-- code: extension -->\n\n```swift\n\(example)```\n"))
    }

    @Test("the page says why there is nothing to show as the code says it")
    func pageHasReasons() throws {
        let reasons: [UnopenedPush] = [.reference, .notForThisDevice, .expired, .deleted, .contradictory]
        for reason in reasons { #expect(Self.page.contains("| `\(reason.code)` | \(reason) |"), "\(reason.code)") }
        for reason in reasons + [.sealed(.notAuthentic), .unknownType("x")] {
            switch reason {
            // A case more is a row more.
            case .reference, .sealed, .notForThisDevice, .expired, .deleted, .contradictory, .unknownType: break
            }
        }
        #expect(UnopenedPush.sealed(.notAuthentic).code == OpeningError.notAuthentic.code)
        #expect(Self.page.contains("| `\(UnopenedPush.unknownType("x").code)` |"))
    }
}

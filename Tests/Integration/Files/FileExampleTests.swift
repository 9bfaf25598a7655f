import Foundation
import ParleyClient
import ParleyProtocol
import TestSupport
import Testing

// The example of `docs/client.md`.
func share(_ photo: String, in chat: ConversationID, by client: MessagingClient, show: (String) -> Void) async throws {
    let events = client.events()
    let id = try await client.send(image: OutgoingFile(photo, caption: "At six"), to: chat)
    for await event in events {
        guard case .upload(let upload) = event, upload.message == id else { continue }
        switch upload.state {
        case .running: show("\(upload.progress.done) of \(upload.progress.total) bytes")
        case .waiting(let reason): show("\(reason)")  // it goes on by itself
        case .paused: show("paused")  // until client.files.resume(id)
        case .complete: return  // the message is about to be sent
        }
    }
}

@Suite("The page for app developers, on files", .ownThreads, .timeLimit(.minutes(20)))
struct FileExampleTests {
    /// A PNG of one pixel, as far as its header goes.
    private static let picture: [UInt8] =
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8) + [0, 0, 0, 1, 0, 0, 0, 1]

    @Test("its example sends a picture, which is its own thumbnail")
    func example() async throws {
        let site = try FileSite(TestGateway())
        let (one, other) = (try site.chatter(), try site.chatter())
        try await befriend(one, other)
        let photo = "\(site.gateway.directory)/sunrise.png"
        try Data(Self.picture).write(to: URL(filePath: photo))
        try await chat(one, other) { alice, bob in
            var events = ClientEvents(bob)
            let chat = try await alice.conversation(with: other.user).id
            try await share(photo, in: chat, by: alice) { #expect($0.hasSuffix("bytes")) }
            let message = try await events.file()
            guard case .opened(let content) = message.content, case .image(let image) = content.value else {
                throw NeverCameError("a picture")
            }
            #expect(image.width == 1 && image.height == 1 && image.caption == "At six")
            #expect(image.file.mimeType == "image/png" && image.thumbnail?.bytes == Self.picture)
        }
    }

    @Test("the page has the example as it is run here")
    func pageHasExample() throws {
        let page = try String(contentsOf: Document.folder.appending(path: "client.md"), encoding: .utf8)
        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
        let begin = try #require(source.range(of: "func share("))
        let end = try #require(source.range(of: "\n}\n", range: begin.lowerBound..<source.endIndex))
        #expect(page.contains("<!-- code: files -->\n\n```swift\n\(source[begin.lowerBound..<end.upperBound])```\n"))
    }
}

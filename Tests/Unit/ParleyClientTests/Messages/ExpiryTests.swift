import TestSupport
import ParleyDeviceStore
import ParleyProtocol
import Synchronization
import Testing

@testable import ParleyClient

@Suite("Messages that disappear", .timeLimit(.minutes(20)))
struct ExpiryTests {
    private let position: TemporaryDirectory
    private let directory: DeviceDirectory
    private let conversation = ConversationID(UUIDValue(high: 1, low: 1))

    init() throws {
        position = try TemporaryDirectory()
        directory = position.directory(of: device("alice/phone"))
    }

    /// Shows what it is told to.
    private final class Clock: Sendable {
        private let time = Mutex(Int64(0))

        var now: Timestamp { Timestamp(milliseconds: time.withLock { $0 }) }

        func show(_ milliseconds: Int64) { time.withLock { $0 = milliseconds } }
    }

    private func message(_ seq: Int, _ text: String, expiresAt: Int64?) -> KeptMessage {
        KeptMessage(
            record: .sample(
                seq, id: MessageID(UUIDValue(high: 2, low: UInt64(seq))), in: conversation, by: device("bob/phone"),
                expiresAt: expiresAt), content: textJSON(text))
    }

    @Test("by one timer they are gone from the database, the search and the count, and an event says so")
    func expiry() async throws {
        let clock = Clock()
        var configuration = ClientConfiguration.offline(in: directory)
        configuration.now = { clock.now }
        try configuration.write { transaction in
            var messages = [
                message(1, "stays", expiresAt: nil), message(2, "soon", expiresAt: 40),
                message(3, "later", expiresAt: 3_600_000),
            ]
            _ = try transaction.save(&messages, of: directory.device, chapter: 0)
            try transaction.save(
                ConversationState(id: conversation, kept: KeptStretch(epoch: "e", seqs: 1...3)))
        }
        try await MessagingClient.open(configuration) { [conversation] client in
            var events = client.events().makeAsyncIterator()
            func texts() async throws -> [MessageContent] {
                try await client.history(of: conversation).messages.compactMap { message in
                    if case .opened(let content) = message.content { content.value } else { nil }
                }
            }
            let before = try await texts()
            #expect(before == [.text("stays"), .text("soon"), .text("later")])
            #expect(try await client.search("soon").count == 1)
            #expect(await client.followed(conversation)?.unread.count == 3)
            clock.show(40)
            var gone: MessageID?
            while gone == nil, let event = await events.next() {
                if case .messageRemoved(let id, in: conversation, because: .expired) = event { gone = id }
            }
            #expect(gone == MessageID(UUIDValue(high: 2, low: 2)))
            #expect(try await texts() == [.text("stays"), .text("later")])
            #expect(try await client.search("soon").isEmpty)
            #expect(await client.followed(conversation)?.unread.count == 2)
        }
    }
}

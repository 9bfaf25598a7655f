import Foundation
import ParleyProtocol
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge
@testable import ParleyStore

@Suite("Reports", .onEveryStore)
struct ReportTests {
    private let test: TestWriter
    private let conversation: ConversationID
    private let message = MessageID.random()
    private let bob = device("bob", "phone")

    /// alice and bob have a conversation, in which alice has written one message.
    init() throws {
        test = try TestWriter()
        conversation = try test.conversation(["alice", "bob"])
        test.carryOut([try send(conversation, id: message, text: "sealed and of some length")])
    }

    private func create(
        id: ReportID = .random(), _ rest: String, from sender: DeviceAddress = device("bob", "phone")
    ) throws -> [Published] {
        let json = "{\"id\":\"\(id)\",\"reason\":\"spam\",\(rest)}"
        return try test.carryOut([try request(CreateReport.self, json, from: sender)], now: at(50)).effects.outgoing
            .published
    }

    /// One page as operators get it.
    private func page(limit: Int = 50, cursor: String? = nil) throws -> JSONObject {
        let reader = try test.reader(Settings())
        let next = cursor.map { ",\"cursor\":\"\($0)\"" } ?? ""
        let query = try request(
            ListReports.self, "{\"limit\":\(limit)\(next)}", from: device("operator", "console"))
        let reply = try #require(try reader.answer(query, now: at(0)).published.first)
        #expect(reply.payload.count < Limits.pageBytes + 1000)
        return try #require(try JSONObject(parsing: reply.payload).object("data"))
    }

    private func reports(_ page: JSONObject) throws -> [Report] {
        try #require(try page.objects("items", maximum: .max)).map { try Report(reading: $0) }
    }

    @Test("a reported message is kept with its ciphertext, and nobody but the reporter hears of it")
    func reportedMessageIsKept() throws {
        let evidence = #"{ "text": "…",  "deep": [[[[1.50]]]] }"#
        let published = try create("\"message_id\":\"\(message)\",\"evidence\":\(evidence)")
        #expect(published.map(\.isOK) == [true])
        #expect(published.first?.data.keys.sorted() == ["created_at", "id"])
        let report = try #require(try reports(page()).first)
        #expect(report.reporter == "bob" && report.user == "alice" && report.reason == "spam")
        #expect(report.evidence == Array(evidence.utf8))
        let record = try MessageRecord(json: try #require(report.message))
        #expect(record.id == message && record.content == Array("sealed and of some length".utf8))
        #expect(test.counters.reports.current == 1)
    }

    @Test("a report is answered again as it was when its message has been deleted meanwhile")
    func repeatedAfterDeletion() throws {
        let (id, subject) = (ReportID.random(), "\"message_id\":\"\(message)\"")
        let first = try create(id: id, subject)
        let delete = try request(
            DeleteMessage.self,
            #"{"id":"\#(MessageID.random())","conversation_id":"\#(conversation)","message_id":"\#(message)"}"#)
        #expect(try test.carryOut([delete]).effects.outgoing.replies.map(\.code) == [nil])
        #expect(try create(id: id, subject).map(\.payload) == first.map(\.payload))
        #expect(first.map(\.code) == [nil])
    }

    @Test(
        "what the reporter may not see is not there for them",
        arguments: [
            ("carol", "message", "not_found"), ("bob", "nothing", "not_found"), ("alice", "message", "bad_request"),
            ("bob", "user:nobody", "not_found"), ("bob", "user:operator", "not_found"),
            ("bob", "user:bob", "bad_request"),
        ] as [(UserID, String, String)])
    func refusals(reporter: UserID, subject: String, code: String) throws {
        let field =
            switch subject {
            case "message": "\"message_id\":\"\(message)\""
            case "nothing": "\"message_id\":\"\(MessageID.random())\""
            default: "\"user_id\":\"\(subject.dropFirst(5))\""
            }
        #expect(try create(field, from: device(reporter, "phone")).map(\.code) == [code])
        #expect(try test.text("SELECT count(*) FROM reports") == "0")
    }

    @Test("pages end at their items or bytes, and lead on to each other without a hole")
    func pagesHaveNoHole() throws {
        let large = "\"" + String(repeating: "e", count: 90_000) + "\""
        let sizes = ["1", large, "2", "3", large, large, "4"]
        for evidence in sizes { _ = try create("\"user_id\":\"alice\",\"evidence\":\(evidence)") }
        var found: [Report] = []
        var cursor: String?
        var pages = 0
        repeat {
            let page = try page(limit: 3, cursor: cursor)
            let items = try reports(page)
            #expect((1...3).contains(items.count))
            found += items
            cursor = try page.text("next_cursor", maximum: 100)
            pages += 1
        } while cursor != nil && pages < 20
        #expect(found.map { $0.evidence.map { String(decoding: $0, as: UTF8.self) } } == sizes.reversed())
    }
}

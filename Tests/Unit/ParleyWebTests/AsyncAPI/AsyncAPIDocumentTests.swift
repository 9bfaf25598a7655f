import Foundation
import ParleyProtocol
import ParleyWeb
import TestSupport
import Testing

@Suite("docs/asyncapi.yaml")
struct AsyncAPIDocumentTests {
    private static let made = Result { try AsyncAPIDocument.element() }

    private let document: JSONElement

    init() throws { document = try Self.made.get() }

    /// To write it anew: `PARLEY_WRITE_DOCUMENTS=yes swift test --filter AsyncAPIDocumentTests`.
    @Test("it is what the tables of operations and events make")
    func file() throws {
        let text = try AsyncAPIDocument.make()
        let file = Document.folder.appending(path: "asyncapi.yaml")
        if ProcessInfo.processInfo.environment["PARLEY_WRITE_DOCUMENTS"] == "yes" {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        let kept = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        #expect(
            kept == text,
            "docs/asyncapi.yaml is stale; PARLEY_WRITE_DOCUMENTS=yes swift test --filter AsyncAPIDocumentTests writes it"
        )
    }

    @Test("every operation has a channel with an example that the gateway takes", arguments: OperationTable.all)
    func requests(request: any Request.Type) throws {
        let name = "\(request.operation.area)_\(request.operation.verb)"
        let channel = try #require(document["channels"]?[name])
        #expect(channel["address"]?.text == "parley/v1/up/{uid}/{did}/\(request.operation)")
        let examples = try #require(channel["messages"]?["request"]?["examples"]?.elements)
        guard case .literal(let example)? = examples.first?["payload"] else {
            Issue.record("no example of \(request.operation)")
            return
        }
        _ = try request.init(members: JSONObject(parsing: Array(example.utf8)))
        #expect((document["operations"]?[name]?["reply"] != nil) == request.hasReply)
    }

    @Test("every event is a message of a channel")
    func events() throws {
        let channels = try #require(document["channels"]?.members.map(\.value))
        let messages = Set(channels.flatMap { $0["messages"]?.members.map(\.key) ?? [] })
        #expect(Set(EventTable.names).isSubset(of: messages))
    }

    @Test("references point at something")
    func references() throws {
        let check = try SchemaCheck(document: document)
        var found = 0
        func visit(_ element: JSONElement) throws {
            for member in element.members {
                if member.key == "$ref", let reference = member.value.text {
                    found += 1
                    _ = try check.resolve(reference)
                }
                try visit(member.value)
            }
            for element in element.elements { try visit(element) }
        }
        try visit(document)
        #expect(found > 500)
    }
}

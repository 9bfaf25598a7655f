import Foundation
import ParleyCrypto
import ParleyProtocol
import Sodium
import TestSupport
import Testing

@Suite("parley: reports", .ownThreads)
final class ReportsTests {
    private let gateway: TestGateway
    private let parley: ParleyTool
    private let alice: DeviceClient
    private let bob: DeviceClient
    private let contentKey = [UInt8](repeating: 5, count: 32)

    init() throws {
        gateway = try TestGateway()
        parley = try ParleyTool(on: gateway)
        (alice, bob, _) = try gateway.pair()
    }

    deinit { parley.removeScratch() }

    /// A group of the two, with one message of alice's that her content key opens.
    private func rudeMessage() throws -> JSON {
        let group = try alice.group(with: bob)
        let id = MessageID.random()
        let header = MessageHeader(
            suite: .groupBox, conversation: try #require(ConversationID(group)), id: id,
            sender: alice.credentials.address,
            type: .text)
        let nonce = [UInt8](repeating: 9, count: 24)
        let (content, associated, key) = (Array(#"{"text":"rude"}"#.utf8), header.bytes, contentKey)
        let sealed = try XChaCha20Poly1305.seal(
            content.span, nonce: nonce.span, additionalData: associated.span, key: key.span)
        let sent = message(
            group, id: id.description,
            [
                "suite": "group-box", "encrypted_content": .string(base64(sealed)), "nonce": .string(base64(nonce)),
                "recipient_keys": [],
            ])
        try alice.accepted("messages/send", sent)
        return sent
    }

    @Test("a reported message is listed, and opens with the content key that was revealed")
    func reportedMessage() throws {
        #expect(try parley.run("reports", "--json").output.isEmpty)
        let sent = try rudeMessage()
        let report: JSON = [
            "id": .string(newID()), "reason": "rude\u{1B}[2J", "message_id": sent["id"],
            "evidence": ["content_key": .string(base64(contentKey)), "said": ["deep": [[[[[[[[[[1]]]]]]]]]]]],
        ]
        // The same bytes each time: how the evidence is spelled is part of it.
        let payload = report.bytes
        let made = try bob.request("reports/create", payload: payload)["data"]
        #expect(made.keys == ["id", "created_at"])
        #expect(try bob.request("reports/create", payload: payload)["data"] == made)
        #expect(try alice.request("reports/create", payload: payload)["error"]["code"] == "conflict")

        let listed = try parley.run("reports", "--json", "--verify")
        #expect(listed.status == 0)
        #expect(listed.json["reporter_id"].text == bob.user)
        #expect(listed.json["user_id"].text == alice.user)
        #expect(listed.json["reason"] == report["reason"])
        #expect(listed.json["evidence"] == report["evidence"])
        #expect(listed.json["message"]["encrypted_content"] == sent["encrypted_content"])
        #expect(listed.json["verified"] == "opened")
        #expect(listed.json["content"] == ["text": "rude"])

        let table = try parley.read("reports")
        #expect(table.lines.count == 2 && table.output.contains("rude\\u{1b}[2J"))
        let whole = try parley.read("reports", "--id", made["id"].text ?? "", "--verify")
        #expect(whole.output.contains(#"opens     {"text":"rude"}"#))
        #expect(!whole.output.contains("\u{1B}"))
        #expect(!gateway.log.contains("rude"), "what is reported is never logged")
    }

    @Test("a user is reported, and a page leads on to the next")
    func pages() throws {
        let ids = try (0..<205).map { _ in
            let id = newID()
            try bob.accepted(
                "reports/create", ["id": .string(id), "reason": "spam", "user_id": .string(alice.user)])
            return id
        }
        let listed = try parley.run("reports", "--json", "--limit", "1000").lines
        #expect(try listed.map { try JSON(parsing: $0.utf8)["id"].text } == ids.reversed())
        #expect(try parley.read("reports", "--limit", "3").lines.count == 4)
        let first = try parley.read("reports", "--id", ids[0])
        #expect(first.output.contains("spam"))
        #expect(try parley.read("reports", "--id", "\(ids[0].prefix(13))").output == first.output)
    }

    @Test("a report that is not there, and somebody who is no operator")
    func refusals() throws {
        let unknown = try parley.run("reports", "--id", newID())
        #expect(unknown.status == 1 && unknown.errors.contains("no report is called"))
        #expect(try parley.run("reports", "--limit", "0").status == 2)
        #expect(try bob.publish("\(bob.up)/admin/list-reports", Array("{}".utf8)) == 0x87)
    }

    @Test("whether one may write to another is explained, with the question that decided")
    func explain() throws {
        let explained = try parley.read("explain", alice.user, bob.user)
        try #require(explained.status == 0, "\(explained.errors)")
        #expect(explained.lines.first == "\(alice.user) → \(bob.user): may write without limit (anyone)")
        #expect(explained.lines.filter { $0.hasPrefix("→") }.map { $0.contains("message_privacy") } == [true])
        let json = try parley.run("explain", alice.user, bob.user, "--json").json
        #expect(json["permission"] == "allowed" && json["reason"] == "anyone")
        #expect(json["steps"].elements.first { $0["holds"] == true }?["step"] == "message_privacy")

        try bob.accepted("social/block", ["user_id": .string(alice.user)])
        let refused = try parley.read("explain", bob.user, alice.user)
        #expect(refused.status == 0 && refused.lines.first?.hasSuffix("may not write (blocked)") == true)
        let unknown = try parley.read("explain", alice.user, "nobody")
        #expect(unknown.lines.first?.hasSuffix("may not write (unknown_user)") == true)
        #expect(try parley.run("explain", alice.user).status == 2)
    }
}

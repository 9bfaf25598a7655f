import ArgumentParser
import ParleyProtocol
import Testing

@testable import parley

@Suite("parley explain")
struct PermissionExplanationTests {
    private let sender = UserID(validated: "alice")
    private let recipient = UserID(validated: "bob")

    private func explanation(_ json: String) throws -> PermissionExplanation? {
        PermissionExplanation(reply: try JSONObject(parsing: Array(json.utf8)))
    }

    @Test("the first step that holds has decided and is marked, and nothing after it was asked")
    func decision() throws {
        let shown = try #require(
            try explanation(
                #"""
                {"from":"alice","to":"bob","permission":"refused","reason":"request_limit","steps":[
                {"step":"self","holds":false,"detail":null},
                {"step":"block","holds":true,"detail":"bob has blocked alice"},
                {"step":"allowance","holds":true}]}
                """#))
        #expect(
            shown.lines(from: sender, to: recipient) == [
                "alice → bob: may not write (request_limit)",
                "   STEP       HOLDS      FOUND",
                "   self       no",
                "→  block      yes        bob has blocked alice",
                "   allowance  not asked",
            ])
        #expect(
            String(decoding: shown.json(from: sender, to: recipient), as: UTF8.self)
                == #"{"from":"alice","to":"bob","permission":"refused","reason":"request_limit","steps":["#
                + #"{"step":"self","holds":false,"detail":null},"#
                + #"{"step":"block","holds":true,"detail":"bob has blocked alice"},"#
                + #"{"step":"allowance","holds":true,"detail":null}]}"#)
    }

    @Test(
        "each permission is a sentence, one of a later version too",
        arguments: [
            ("allowed", "may write without limit (r)"), ("request", "may send one message, as a message request (r)"),
            ("refused", "may not write (r)"), ("later\u{1B}", "later\\u{1b} (r)"),
        ])
    func sentences(permission: String, sentence: String) throws {
        let reply = JSONWriter.object { object in
            object.member("permission", permission)
            object.member("reason", "r")
            object.member("steps", array: [Int]()) { $0.value($1) }
        }
        let shown = PermissionExplanation(reply: try JSONObject(parsing: reply))
        #expect(shown?.lines(from: sender, to: recipient).first == "alice → bob: \(sentence)")
    }

    @Test(
        "an answer that is none is not shown",
        arguments: [
            "{}", #"{"permission":"allowed","reason":"x"}"#, #"{"permission":"allowed","reason":"x","steps":[{}]}"#,
            #"{"permission":1,"reason":"x","steps":[]}"#,
        ])
    func malformed(json: String) throws {
        #expect(try explanation(json) == nil)
    }

    @Test(
        "both users are named",
        arguments: [["explain"], ["explain", "alice"], ["explain", "a", "b", "c"], ["explain", "a+", "b"]])
    func arguments(arguments: [String]) {
        #expect(throws: (any Error).self) { try Parley.parseAsRoot(arguments) }
    }
}

import ParleyProtocol
import Testing

@testable import ParleyClient

@Suite("What a typed request gives")
struct RequestErrorTests {
    private func read(_ json: String) throws(RequestError) -> Watermark {
        guard let reply = GatewayReply(payload: Array(json.utf8)) else { throw .unanswered(.malformedReply) }
        return try reply.read()
    }

    @Test("the value, where the reply holds it")
    func value() throws {
        let watermark = try read(
            #"{"ok":true,"data":{"conversation_id":"7f31a1de-0c7a-4b58-9d2c-1f2e3d4c5b6a","user_id":"alice","#
                + #""last_read_message_id":"0b0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c4d","seq":4,"#
                + #""at":"2026-01-15T09:30:00.000Z"}}"#)
        #expect(watermark.seq == 4 && watermark.kind == .read)
    }

    @Test("the refusal, where there is one")
    func refusal() throws {
        let error = #expect(throws: RequestError.self) {
            try read(#"{"ok":false,"error":{"code":"not_found","message":"There is no such message."}}"#)
        }
        guard case .refused(let rejection)? = error else { throw UnexpectedError(error) }
        #expect(rejection.code == .notFound)
        #expect(error?.description == "not_found: There is no such message.")
    }

    @Test(
        "a fault that names the field, where the reply does not hold what it should",
        arguments: [
            (#"{"ok":true}"#, "data"), (#"{"ok":true,"data":null}"#, "data"), (#"{"ok":true,"data":[]}"#, "data"),
            (#"{"ok":true,"data":{}}"#, "conversation_id"),
        ])
    func unreadable(json: String, field: String) throws {
        let error = #expect(throws: RequestError.self) { try read(json) }
        guard case .unreadable(.field(let problem))? = error else { throw UnexpectedError(error) }
        #expect(problem.hasPrefix("\(field): "))
    }
}

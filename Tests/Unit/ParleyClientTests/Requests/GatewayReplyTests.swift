import ParleyProtocol
import Testing

@testable import ParleyClient

@Suite("Reading a reply")
struct GatewayReplyTests {
    private func parse(_ json: String) -> GatewayReply? { GatewayReply(payload: Array(json.utf8)) }

    @Test("an accepted request gives its data")
    func accepted() throws {
        let reply = try #require(parse(#"{"request_id":null,"ok":true,"data":{"seq":42}}"#))
        #expect(reply.isAccepted)
        #expect(try reply.data?.integer("seq", in: 1...100) == 42)
    }

    @Test("a refusal gives its code, its sentence and what else it says")
    func rejected() throws {
        let reply = try #require(
            parse(
                #"{"ok":false,"error":{"code":"rate_limited","message":"Slower.","retry_after_ms":150}}"#))
        #expect(reply.rejection == Rejection(.rateLimited, "Slower.", retryAfterMilliseconds: 150))
        #expect(!reply.isAccepted)
    }

    @Test("the devices that are missing among the recipients are named")
    func staleDevices() throws {
        let reply = try #require(
            parse(
                #"{"ok":false,"error":{"code":"stale_devices","message":"","missing":[{"user_id":"bob","device_id":"tv"}]}}"#
            ))
        #expect(reply.rejection?.devices == Rejection.DeviceDifference(missing: [device("bob/tv")], extra: []))
    }

    @Test("a code of a later version is still a refusal")
    func unknownCode() throws {
        let reply = try #require(parse(#"{"ok":false,"error":{"code":"too_late","message":"No."}}"#))
        #expect(reply.rejection == Rejection(.internal, "No."))
    }

    @Test(
        "what is not a reply is not taken for one", arguments: ["", "{}", "[]", #"{"ok":1}"#, #"{"ok":false}"#, "42"])
    func malformed(json: String) {
        #expect(parse(json) == nil)
    }

    @Test("a refusal made here has the form of a reply")
    func local() {
        let reply = GatewayReply(.byBroker)
        #expect(GatewayReply(payload: reply.payload) == reply)
    }
}

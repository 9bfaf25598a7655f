import ParleyProtocol
import Testing

@Suite("What a device reads of gateway/info")
struct ReadGatewayInfoTests {
    private static func read(_ limits: String, _ operations: String) throws -> GatewayInfo {
        let json =
            #"{"version":"0.1.0","protocol":1,"server_time":"2026-01-15T09:30:00.000Z","limits":\#(limits),"operations":\#(operations),"x":{}}"#
        return try GatewayInfo(json: Array(json.utf8))
    }

    @Test("what was written is read, and what a later version may have is passed over")
    func later() throws {
        let info = try Self.read(
            #"{"group_members":10,"later":"1 MiB","more":{"a":1},"page_items":200}"#,
            #"["messages/send","later/than/this",7,"gateway/info","","x"]"#)
        #expect(info.limit("group_members") == 10 && info.limit("page_items") == 200 && info.limits.count == 2)
        #expect(info.operations == [SendMessage.operation, GetGatewayInfo.operation])
        var writer = JSONWriter()
        info.write(to: &writer)
        #expect(try GatewayInfo(json: writer.finish()) == info)
        #expect(info.vapidKey == nil)
    }

    @Test("the key for Web Push is written and read")
    func vapidKey() throws {
        let info = GatewayInfo(
            version: "0.1.0", protocolVersion: 1, serverTime: Timestamp(milliseconds: 0), limits: [], operations: [],
            vapidKey: "BAAA")
        var writer = JSONWriter()
        info.write(to: &writer)
        #expect(try GatewayInfo(json: writer.finish()) == info)
    }

    @Test("what is no table, or no list, is not read", arguments: ["1", "null", #""x""#, "true"])
    func wrong(json: String) {
        #expect(throws: ReadingError.self) { try Self.read(json, "[]") }
        #expect(throws: ReadingError.self) { try Self.read("{}", json) }
    }
}

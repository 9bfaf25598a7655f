import ParleyProtocol
import TestNames
import Testing

@testable import ParleyBridge

@Suite("What the gateway says of itself")
struct GatewayInfoTests {
    private func info(_ change: (inout Settings) -> Void = { _ in }, now: Timestamp = at(0)) throws -> GatewayInfo {
        try SocialWorld(change).read(GetGatewayInfo.self, by: "alice", now: now).value()
    }

    @Test("the gateway says its versions, its time and the operations of the table")
    func versionsTimeAndOperations() throws {
        let info = try info(now: at(5))
        #expect(info.version == ParleyBridge.parleyVersion && info.protocolVersion == 1 && info.serverTime == at(5))
        #expect(info.operations == OperationTable.all.map { $0.operation })
        #expect(Topic.prefix == "parley/v\(info.protocolVersion)/")
    }

    @Test("the gateway says what browsers subscribe to Web Push with")
    func vapidKey() throws {
        let test = try TestWriter()
        let reader = try test.reader(Settings(), vapidKey: "BAAA")
        let outgoing = reader.answer(try request(GetGatewayInfo.self, "{}"), now: at(0))
        #expect(try outgoing.published.first?.data["vapid_key"] as? String == "BAAA")
    }

    @Test("a limit that is a setting is told as it is set, each in turn")
    func settingLimits() throws {
        let told = Set(try info().limits.map(\.name.text))
        let entries = Settings.entries.filter { told.contains($0.name) }
        #expect(entries.count == 28)
        for entry in entries {
            guard case .number(_, let keyPath) = entry.value else { continue }
            let value = Settings()[keyPath: keyPath] + 1
            let info = try info { $0[keyPath: keyPath] = value }
            #expect(info.limits.first { $0.name.text == entry.name }?.value == value, "\(entry.name)")
        }
    }

    @Test("the limits of the contract's form are told as they hold")
    func contractLimits() throws {
        let info = try info()
        #expect(info.limit("request_bytes") == 262_144 && info.limit("packet_bytes") == 393_216)
        #expect(info.limit("json_depth") == 16 && info.limit("object_members") == 64)
        #expect(info.limit("content_bytes") == 65_536 && info.limit("recipient_keys") == 128)
        #expect(info.limit("page_items") == 200 && info.limit("page_bytes") == 196_608)
        #expect(info.limit("name_characters") == 100 && info.limit("unread_count") == 1000)
        #expect(info.limit("edits_of_message") == 100)
        #expect(Set(info.limits.map(\.name)).count == info.limits.count)
    }
}

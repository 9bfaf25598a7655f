import ParleyProtocol
import Testing

extension GatewayTests {
    @Suite("A stranger's one message")
    struct RequestRaceTests {
        @Test("of 64 sent at the same instant from several devices one is accepted, and it is the one that waits")
        func race() throws {
            let gateway = try SharedGateway.current
            let people = try gateway.people(2, privacy: .followers)
            let (stranger, bob) = (people[0], try gateway.connect(people[1]))
            let others = try ["tablet", "laptop", "watch"].map { try gateway.device($0, of: stranger.username) }
            let devices = try ([stranger] + others).map { try gateway.connect($0) }
            let conversation = try devices[0].conversation(with: bob.user)

            var asked: [(device: DeviceClient, id: String, correlation: [UInt8])] = []
            for turn in 0..<64 {
                let (device, id) = (devices[turn % devices.count], newID())
                asked.append((device, id, try device.ask("messages/send", message(conversation, id: id).bytes)))
            }
            let answers = try asked.map { (id: $0.id, reply: try $0.device.reply(to: $0.correlation)) }

            let sent = answers.filter { $0.reply["ok"] == true }
            #expect(sent.count == 1)
            let refused = answers.filter { $0.reply["ok"] != true }
            #expect(refused.count == 63)
            #expect(refused.allSatisfy { $0.reply["error"]["code"] == "request_limit" })
            let waiting = try bob.accepted("requests/list")["items"].elements
            #expect(waiting.map { $0["message"]["id"].text } == sent.map(\.id))
            #expect(try devices[0].accepted("history/get", ["conversation_id": .string(conversation)])["last_seq"] == 1)
        }
    }
}

import ParleyProtocol
import Testing

extension GatewayTests {
    @Suite("Statistics")
    struct StatisticsTests {
        let gateway: TestGateway

        init() throws { gateway = try SharedGateway.current }

        @Test("an operator sees the gateway's numbers, and a device does not")
        func numbers() throws {
            let console = try gateway.operatorClient()
            try console.subscribe("parley/v1/gateway/stats/#")
            for name in ["requests", "messages", "published", "rejected", "broker-dropped", "backlog"] {
                let number = try console.take(name) { $0.topic == "parley/v1/gateway/stats/\(name)" }
                #expect(Int(String(decoding: number.payload, as: UTF8.self)) != nil)
            }
            let alice = try gateway.client()
            #expect(try alice.subscribe("parley/v1/gateway/stats/requests") == 0x87)
            #expect(try alice.subscribe("parley/v1/gateway/#") == 0x87)
        }

        @Test("the numbers grow as the gateway works")
        func growth() throws {
            let console = try gateway.operatorClient()
            let topic = "parley/v1/gateway/stats/messages"
            try console.subscribe(topic)
            let before = try console.take("the number before") { $0.topic == topic }
            let (alice, _, conversation) = try gateway.pair()
            for _ in 0..<10 { try alice.accepted("messages/send", message(conversation)) }
            let least = (Int(String(decoding: before.payload, as: UTF8.self)) ?? 0) + 10
            _ = try console.take("ten more") {
                $0.topic == topic && (Int(String(decoding: $0.payload, as: UTF8.self)) ?? 0) >= least
            }
        }
    }
}

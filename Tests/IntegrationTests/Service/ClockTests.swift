import ParleyProtocol
import Testing

/// A gateway in this process, whose clock a test sets, with a real broker.
@Suite("Clock")
struct ClockTests {
    @Test("a clock that steps back never makes a message older than the one before it")
    func stepBack() async throws {
        let host = try TestGateway(start: false)
        try host.startBroker()
        let clock = MovedClock()
        try await host.runInProcess(by: clock) {
            let (alice, _, conversation) = try host.pair()
            var times: [String] = []
            for step: Int64 in [0, -1_000, -3_600_000, 5_000, -86_400_000, 0] {
                clock.move(by: step)
                // A step back empties the buckets of the rate limits, for a moment.
                let sent = message(conversation)
                let data = try eventually("acceptance") { () -> JSON? in
                    let reply = try alice.request("messages/send", sent)
                    return reply["ok"] == true ? reply["data"] : Optional.none
                }
                times.append(data["created_at"].text ?? "")
            }
            #expect(times == times.sorted())
            let page = try alice.accepted("history/get", ["conversation_id": .string(conversation)])
            #expect(page["messages"].elements.compactMap { $0["created_at"].text } == times)
        }
    }
}

import MQTTWire
import ParleyProtocol
import Platform
import Testing

// When the gateway cannot tell any more who may hear what.

extension PluginTests {
    @Test("a device that is publishing as the gateway's lease ends is refused nothing: its connection ends")
    func leaseEnds() throws {
        let (broker, out) = try limitedBroker { limits in
            (limits.publishBurst, limits.publishBurstBytes) = (1_000_000, 1 << 30)
        }
        let phone = try alice.signIn(to: broker)
        try out.tell([.lease(until: UInt64(SystemClock.sinceBoot.nanoseconds + 300_000_000))])
        var codes: Set<UInt8?> = []
        do {
            while true { codes.insert(try phone.publish("parley/v1/up/alice/phone/profile/get", "{}")) }
        } catch WireClient.WireError.closed(_) {}
        // Nobody is there to hear it.
        #expect(codes == [0x10])
        #expect(try AudienceCodec.answer(in: out.nextMessage().payload) == .snapshotNeeded(.leaseOver))
    }
}

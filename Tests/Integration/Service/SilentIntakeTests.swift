import Foundation
import ParleyProtocol
import TestSupport
import Testing

/// A broker that goes on acknowledging, and delivers nothing to the gateway. Each test has a gateway of its own.
@Suite("An intake that hears nothing", .ownThreads, .oneMachine(.oneBroker))
struct SilentIntakeTests {
    @Test("the gateway finds out by a request to itself, connects anew, says so, and answers what had waited")
    func silence() throws {
        let gateway = try TestGateway(settings: TestGateway.roomy.with(["self_request_seconds": 1]), start: false)
        let path = gateway.directory + "/mosquitto.conf"
        let configuration = try String(contentsOfFile: path, encoding: .utf8)
        try configuration.replacing("run/broker.sock", with: "run/inner.sock").write(
            toFile: path, atomically: true, encoding: .utf8)
        let proxy = try SocketProxy(
            at: gateway.brokerSocket, to: gateway.directory + "/run/inner.sock", name: "parley/intake")
        defer { proxy.stop() }
        try gateway.startBroker()
        try gateway.startParleyd()
        let alice = try gateway.client()
        try alice.accepted("profile/get")
        let before = gateway.log
        #expect(!before.contains("connecting anew for requests"))
        proxy.swallow()
        try alice.accepted("profile/get")
        #expect(gateway.log.contains("connecting anew for requests"))
        #expect(gateway.log.contains("the gateway's own request of 3 s ago has not come back"))
        let console = try gateway.operatorClient()
        try console.subscribe("parley/v1/gateway/stats/intake-resets")
        let number = try console.take("the number of resets") { String(decoding: $0.payload, as: UTF8.self) != "0" }
        #expect(String(decoding: number.payload, as: UTF8.self) == "1")
    }
}

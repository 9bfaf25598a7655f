import ParleyClient
import Testing

@testable import parley

@Suite("Addresses of brokers")
struct BrokerAddressTests {
    @Test(
        "a broker is reached by TLS or a secure WebSocket, and without only on this machine",
        arguments: [
            ("mqtt.example.org:8883", "mqtts://mqtt.example.org:8883"), ("mqtts://localhost", "mqtts://localhost:8883"),
            ("mqtts://Example.org:443/", "mqtts://example.org:443"), ("mqtt://127.0.0.1", "mqtt://127.0.0.1:1893"),
            ("mqtt://[::1]:1884", "mqtt://[::1]:1884"), ("localhost:1893", "mqtts://localhost:1893"),
            ("wss://example.org", "wss://example.org:443/mqtt"), ("wss://example.org/", "wss://example.org:443/mqtt"),
            ("wss://[2001:db8::1]:8443/chat/mqtt", "wss://[2001:db8::1]:8443/chat/mqtt"),
            ("ws://localhost:9893/mqtt", "ws://localhost:9893/mqtt"),
        ])
    func brokers(argument: String, url: String) throws {
        let broker = try #require(BrokerAddress(argument: argument))
        #expect(broker.endpoint(trusting: nil).url == url)
    }

    @Test("without a scheme it is plain on this machine beside a door that is, and TLS beside any other")
    func besides() throws {
        let broker = try #require(BrokerAddress(argument: "localhost:1893"))
        let here = try #require(DoorAddress(argument: "http://localhost"))
        #expect(broker.endpoint(trusting: "ca", besides: here).transport == .plain)
        let afar = try #require(DoorAddress(argument: "https://example.org"))
        #expect(broker.endpoint(trusting: "ca", besides: afar).transport == .tls(caFile: "ca"))
        let named = try #require(BrokerAddress(argument: "mqtts://localhost"))
        #expect(named.endpoint(trusting: nil, besides: here).transport == .tls(caFile: nil))
    }

    @Test("a WebSocket at the usual path is a web door's, which files go by, too")
    func doors() throws {
        #expect(BrokerAddress(argument: "wss://example.org")?.door == "https://example.org:443")
        #expect(BrokerAddress(argument: "ws://[::1]:9893/mqtt")?.door == "http://[::1]:9893")
        #expect(try #require(BrokerAddress(argument: "wss://example.org/else")).door == nil)
        #expect(try #require(BrokerAddress(argument: "mqtts://example.org")).door == nil)
    }

    @Test(
        "what is no broker, or would send a token in clear text over a network, is refused",
        arguments: [
            "", "example.org", "[::1]", ":1883", "mqtt://example.org:1883", "example.org:99999", "example.org:1883/x",
            "example.org:1883/", "ws://example.org:80", "mqtts://mqtt://localhost:1883", "mqtts://example.org/x",
            "wss://example.org/mqtt?x", "wss://example.org/mqtt#x", "wss://user@example.org/mqtt", "wss://",
            "wss://ex ample.org", "mqtts://example.org:0",
        ])
    func noBrokers(argument: String) { #expect(BrokerAddress(argument: argument) == nil) }
}

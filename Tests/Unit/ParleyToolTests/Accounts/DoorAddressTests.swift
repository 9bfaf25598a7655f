import Testing

@testable import parley

@Suite("Addresses of doors and brokers")
struct DoorAddressTests {
    @Test(
        "a door is an https URL, or an http one on this machine",
        arguments: [
            ("https://Chat.Example.org", "https://chat.example.org", "chat.example.org", 443, false),
            ("https://chat.example.org:8443/", "https://chat.example.org:8443", "chat.example.org", 8443, false),
            ("https://example.org/parley/", "https://example.org/parley", "example.org", 443, false),
            ("http://localhost:9893", "http://localhost:9893", "localhost", 9893, true),
            ("http://127.0.0.1", "http://127.0.0.1", "127.0.0.1", 80, true),
            ("http://[::1]:9893//", "http://[::1]:9893", "::1", 9893, true),
        ] as [(String, String, String, UInt16, Bool)])
    func doors(argument: String, text: String, host: String, port: UInt16, isPlain: Bool) throws {
        let door = try #require(DoorAddress(argument: argument))
        #expect(door.text == text && door.host == host && door.port == port && door.isPlain == isPlain)
    }

    @Test(
        "what is no door, or would send a password in clear text over a network, is refused",
        arguments: [
            "", "chat.example.org", "http://chat.example.org", "http://127.0.0.2", "http://localhost.example.org",
            "ftp://localhost", "https://", "https://user@example.org", "https://example.org/?x",
            "https://example.org#x",
            "https://example.org:0", "https://ex ample.org", "http://localhost@example.org",
        ])
    func noDoors(argument: String) { #expect(DoorAddress(argument: argument) == nil) }

    @Test(
        "a broker is reached by TLS, but on this machine, beside a door without",
        arguments: [
            ("mqtt.example.org:8883", "mqtt.example.org", 8883, false, false),
            ("mqtts://localhost:8883", "localhost", 8883, false, false),
            ("mqtt://127.0.0.1:1893", "127.0.0.1", 1893, true, true),
            ("localhost:1893", "localhost", 1893, true, false), ("[::1]:1893", "::1", 1893, true, false),
        ] as [(String, String, UInt16, Bool, Bool)])
    func brokers(argument: String, host: String, port: UInt16, plainHere: Bool, plainAfar: Bool) throws {
        let broker = try #require(BrokerAddress(argument: argument))
        #expect(broker.host == host && broker.port == port)
        let (here, afar) = (DoorAddress(argument: "http://localhost"), DoorAddress(argument: "https://example.org"))
        #expect(try broker.isPlain(besides: #require(here)) == plainHere)
        #expect(try broker.isPlain(besides: #require(afar)) == plainAfar)
    }

    @Test(
        "what is no broker, or would send a token in clear text over a network, is refused",
        arguments: [
            "", "example.org", "[::1]", ":1883", "mqtt://example.org:1883", "example.org:99999", "example.org:1883/x",
            "ws://example.org:80", "mqtts://mqtt://localhost:1883",
        ])
    func noBrokers(argument: String) { #expect(BrokerAddress(argument: argument) == nil) }
}

import Testing

@testable import parley

@Suite("Addresses of doors")
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
}

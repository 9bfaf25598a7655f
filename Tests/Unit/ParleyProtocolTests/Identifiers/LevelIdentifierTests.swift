import ParleyProtocol
import TestSupport
import Testing

@Suite("User and device ids, client ids", .seeded)
struct LevelIdentifierTests {
    static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-".utf8)

    static let notIDs = [
        "", " ", "a b", "a/b", "/", "+", "#", "a+", "$SYS", ".", "..", "a.b", "a:b", "a,b", "alice ", " alice",
        "alice\n", "\u{0}", "al\u{0}ice", "ı", "İstanbul", "älice", "a\u{308}lice", "e\u{301}", "аlice", "ａlice",
        "alice\u{200B}", "\u{FEFF}alice", "١٢٣", "k\u{212A}", "\u{7F}", "a\u{1F600}", "*", "@", "'", "\"", "\\", "%2F",
        String(repeating: "a", count: 65), String(repeating: "a", count: 10_000),
    ]

    @Test(
        "ids of the alphabet are taken as they are", arguments: ["a", "Z", "0", "_", "-", "alice", "A_b-9", "--", "__"])
    func taken(text: String) throws {
        #expect(try #require(UserID(text)).description == text)
        #expect(try #require(DeviceID(text)).text == text)
        #expect(UserID.parse(Array(text.utf8)) == UserID(text))
    }

    @Test("an id has 1 to 64 bytes")
    func lengths() {
        for length in 1...64 { #expect(UserID(String(repeating: "x", count: length)) != nil) }
        #expect(UserID(String(repeating: "x", count: 65)) == nil)
        #expect(UserID(String()) == nil)
    }

    @Test("nothing else is an id", arguments: notIDs)
    func refused(text: String) {
        #expect(UserID(text) == nil)
        #expect(DeviceID(text) == nil)
    }

    @Test("an id is written as a literal, or read by an initializer that says what is wrong")
    func literals() throws {
        let alice: UserID = "alice"
        #expect(alice == UserID(validated: "alice"))
        #expect(try UserID(validating: "alice") == alice)
        let phone: DeviceAddress = "alice/phone"
        #expect(phone == DeviceAddress(user: "alice", device: "phone"))
        #expect(try DeviceAddress(validating: "alice/phone") == phone)
        for text in ["alice", "alice/", "/phone", "alice/phone/x", "a b/phone"] {
            #expect(throws: TextFormError.self) { try DeviceAddress(validating: text) }
        }
        let id: MessageID = "7f310000-0000-4000-8000-000000000002"
        #expect(try MessageID(validating: id.description) == id)
        let error = #expect(throws: TextFormError.self) { try UserID(validating: "a secret/name") }
        #expect(error?.description == "not an id of 1 to 64 letters, digits, _ or -")
        #expect(throws: TextFormError.self) { try MessageID(validating: "7F310000-0000-4000-8000-000000000002") }
    }

    @Test("a literal that is no id ends the program")
    func wrongLiteral() async {
        await #expect(processExitsWith: .failure) { _ = UserID("no/id") }
        await #expect(processExitsWith: .failure) { _ = MessageID("no id") }
        await #expect(processExitsWith: .failure) { _ = DeviceAddress("alice") }
    }

    @Test("of all bytes the 64 of the alphabet alone make an id")
    func everyByte() {
        for byte in UInt8.min...UInt8.max {
            #expect((UserID.parse([byte]) != nil) == Self.alphabet.contains(byte), "byte \(byte)")
            #expect((UserID.parse([0x61, byte, 0x61]) != nil) == Self.alphabet.contains(byte), "byte \(byte)")
        }
    }

    @Test("ids differ where one letter's case differs, and sort by their bytes")
    func comparison() throws {
        let ids = try ["-", "0", "9", "A", "Z", "_", "a", "aa", "ab", "b"].map { try #require(UserID($0)) }
        var generator = Seeded(stream: 5)
        #expect(ids.shuffled(using: &generator).sorted() == ids)
        #expect(UserID("Alice") != UserID("alice"))
    }

    @Test("random ids print what was parsed")
    func roundTrip() throws {
        var generator = Seeded(stream: 1)
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 1...64, using: &generator)).map { _ in
                Self.alphabet[Int.random(in: 0..<64, using: &generator)]
            }
            let id = try #require(UserID.parse(bytes))
            #expect(Array(id.description.utf8) == bytes)
            var printed: [UInt8] = []
            id.append(to: &printed)
            #expect(printed == bytes)
        }
    }

    @Test("a client id names its device, and a further connection of it")
    func clientIDs() throws {
        let address = DeviceAddress(user: UserID("alice"), device: DeviceID("phone"))
        let main = try #require(ClientID.parse("alice:phone"))
        #expect(main.address == address && main.connection == nil && "\(main)" == "alice:phone")
        let further = try #require(ClientID.parse("alice:phone:cli-1"))
        #expect(further.address == address && further.connection == "cli-1" && "\(further)" == "alice:phone:cli-1")
        #expect(ClientID(address: address) == main)
        #expect(ClientID(address: address, connection: "cli-1") == further)
        #expect(ClientID(address: address, connection: String(repeating: "x", count: 16)) != nil)
        for connection in ["", "a:b", "a/b", "ı", String(repeating: "x", count: 17)] {
            #expect(ClientID(address: address, connection: connection) == nil, "\(connection)")
        }
    }

    @Test(
        "what is no client id is refused",
        arguments: [
            "", ":", "::", "alice", "alice:", ":phone", "alice:phone:", "alice::cli", "alice:phone:cli:more",
            "alice:phone:12345678901234567", "alice/phone", "alice:ph+ne", "alice:phone\u{0}", "alice :phone",
            "alice:phone:c/i", "älice:phone", "parley/intake", "alice:phone:::::::::::", ":::::::::",
        ])
    func notClientIDs(text: String) { #expect(ClientID.parse(text) == nil) }

    @Test("no naughty string parses to something that prints differently", .vectors)
    func naughtyStrings() throws {
        let strings = try Vectors.naughtyStrings()
        for text in strings {
            let bytes = Array(text.utf8)
            if let id = UserID(text) { #expect(Array(id.description.utf8) == bytes) }
            if let id = MessageID(text) { #expect(Array(id.description.utf8) == bytes) }
            if let id = ClientID.parse(text) { #expect(Array(id.description.utf8) == bytes) }
            if let time = Timestamp(text) { #expect(Array(time.description.utf8) == bytes) }
            for client in ["\(text):phone", "alice:\(text)", "alice:phone:\(text)"] {
                if let id = ClientID.parse(client) { #expect(Array(id.description.utf8) == Array(client.utf8)) }
            }
        }
    }
}

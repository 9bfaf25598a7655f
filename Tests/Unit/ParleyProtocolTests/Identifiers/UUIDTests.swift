import Foundation
import ParleyProtocol
import TestSupport
import Testing

@Suite("UUIDs", .seeded)
struct UUIDTests {
    static let text = "0b0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c4d"

    @Test("the canonical text is read and printed")
    func canonical() throws {
        let id = try #require(MessageID(Self.text))
        #expect(id.value == UUIDValue(high: 0x0b0c_6a52_6f2c_4c1e, low: 0x9a51_0d2b_1a2f_3c4d))
        #expect(id.description == Self.text)
        #expect(MessageID("00000000-0000-0000-0000-000000000000").value == UUIDValue(high: 0, low: 0))
        #expect(MessageID("ffffffff-ffff-ffff-ffff-ffffffffffff").value == UUIDValue(high: .max, low: .max))
    }

    @Test(
        "any other spelling is refused",
        arguments: [
            "0B0C6A52-6F2C-4C1E-9A51-0D2B1A2F3C4D", "0B0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c4d",
            "{0b0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c4d}", "urn:uuid:0b0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c4d",
            "0b0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c4", "0b0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c4d0",
            "0b0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c4d\n", " b0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c4d",
            "0b0c6a526f2c4c1e9a510d2b1a2f3c4d", "0b0c6a52_6f2c_4c1e_9a51_0d2b1a2f3c4d",
            "0b0c6a52–6f2c–4c1e–9a51–0d2b1a2f3c4d", "gb0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c4d", "",
            "0b0c6a526-f2c-4c1e-9a51-0d2b1a2f3c4d", "------------------------------------",
            "\u{0}b0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c4d", "٠0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c4d",
            "+b0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c4d",
        ])
    func refused(text: String) { #expect(ConversationID(text) == nil) }

    @Test("random ids are read as Foundation prints them, and printed as Foundation reads them")
    func roundTrip() throws {
        var generator = Seeded(stream: 2)
        for _ in 0..<2_000 {
            let bytes = generator.bytes(count: 16)
            let id = try #require(MessageID(bytes: bytes))
            #expect(id.value.bytes == bytes)
            #expect(MessageID(id.description) == id)
            let foundation = try #require(UUID(uuidString: id.description))
            #expect(foundation.uuidString.lowercased() == id.description)
            #expect(MessageID(foundation.uuidString.lowercased()) == id)
        }
    }

    @Test("a random id has version 4, a name-based one version 8, both the variant of RFC 9562")
    func versions() throws {
        var generator = Seeded(stream: 3)
        for _ in 0..<200 {
            let random = Array("\(MessageID(.random(using: &generator)))".utf8)
            #expect(random[14] == UInt8(ascii: "4") && Array("89ab".utf8).contains(random[19]))
            let digest = generator.bytes(count: 32)
            let named = try #require(UUIDValue.nameBased(digest: digest))
            let text = Array("\(ConversationID(named))".utf8)
            #expect(text[14] == UInt8(ascii: "8") && Array("89ab".utf8).contains(text[19]))
            #expect(named.bytes.prefix(6) == digest.prefix(6))
            #expect(named.bytes[9...] == digest[9..<16])
        }
        #expect(UUIDValue.nameBased(digest: [UInt8](repeating: 0, count: 15)) == nil)
    }

    @Test("an id that is ordered by time has version 7, begins with the milliseconds, and is no other's")
    func orderedByTime() {
        let times = [0, 1, 0xFFF, 0x1000, 1_768_467_600_000, 0xFFFF_FFFF_FFFF].map { Timestamp(milliseconds: $0) }
        for time in times {
            let id = UUIDValue.ordered(at: time)
            #expect(id.high >> 16 == UInt64(time.milliseconds))
            #expect(id.high >> 12 & 0xF == 7 && id.low >> 62 == 2)
            #expect(UUIDValue.ordered(at: time) != id)
        }
        let ids = times.map(UUIDValue.ordered)
        #expect(ids == ids.sorted())
        // No clock says this; it is an id all the same.
        #expect(UUIDValue.ordered(at: Timestamp(milliseconds: -1)).high >> 16 == 0)
    }

    @Test("16 bytes make an id; 15 and 17 do not", arguments: [0, 1, 15, 17, 32])
    func lengths(count: Int) {
        #expect(MessageID(bytes: [UInt8](repeating: 1, count: 16)) != nil)
        #expect(MessageID(bytes: [UInt8](repeating: 1, count: count)) == nil)
    }

    @Test("ids sort as their texts do")
    func order() {
        var generator = Seeded(stream: 4)
        let ids = (0..<500).map { _ in MessageID(.random(using: &generator)) }
        #expect(ids.sorted().map(\.description) == ids.map(\.description).sorted())
    }

    @Test("the direct conversation of two is hashed from their sorted ids, whoever asks")
    func directPreimage() throws {
        let (alice, bob, zed) = (
            UserID("alice"), UserID("bob"), UserID("Zed")
        )
        let expected: [UInt8] = [0, 5] + Array("alice".utf8) + [0, 3] + Array("bob".utf8)
        #expect(ConversationID.directPreimage(alice, bob) == expected)
        #expect(ConversationID.directPreimage(bob, alice) == expected)
        #expect(
            ConversationID.directPreimage(alice, zed) == [0, 3] + Array("Zed".utf8) + [0, 5] + Array("alice".utf8))
        let (a, ab) = (UserID("a"), UserID("ab"))
        #expect(ConversationID.directPreimage(ab, a) == [0, 1, 0x61, 0, 2, 0x61, 0x62])
    }
}

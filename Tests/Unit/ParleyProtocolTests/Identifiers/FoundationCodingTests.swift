import Foundation
import ParleyProtocol
import Testing

@Suite("What Foundation's coder makes of the contract's values")
struct FoundationCodingTests {
    @Test("what the gateway writes by hand and what Foundation's coder writes are the same credentials")
    func credentials() throws {
        let credentials = DeviceCredentials(
            username: "alice", clientID: "alice:phone", password: "a/b.c-d",
            expiresAt: Timestamp(milliseconds: 1_768_469_400_000))
        let byHand = JSONWriter.bytes { credentials.write(to: &$0) }
        #expect(try JSONDecoder().decode(DeviceCredentials.self, from: Data(byHand)) == credentials)
        let byCoder = try JSONEncoder().encode(credentials)
        #expect(try JSONDecoder().decode(DeviceCredentials.self, from: byCoder) == credentials)
    }

    @Test("ids and times code themselves as their texts, and refuse what is none")
    func values() throws {
        struct Values: Codable, Equatable {
            let user: UserID
            let message: MessageID
            let time: Timestamp
        }
        let text =
            #"{"message":"0b0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c4d","time":"2026-01-15T09:30:00.000Z","user":"alice"}"#
        let values = try JSONDecoder().decode(Values.self, from: Data(text.utf8))
        #expect(values.user.text == "alice" && values.time.milliseconds == 1_768_469_400_000)
        #expect(try JSONDecoder().decode(Values.self, from: JSONEncoder().encode(values)) == values)
        for (good, bad) in [("alice", "a/b"), ("0b0c", "0B0C"), ("01-15", "02-30")] {
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(Values.self, from: Data(text.replacing(good, with: bad).utf8))
            }
        }
    }
}

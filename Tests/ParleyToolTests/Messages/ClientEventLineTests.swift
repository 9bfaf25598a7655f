import ParleyClient
import ParleyProtocol
import Testing

@testable import parley

@Suite("What is printed of a client's events")
struct ClientEventLineTests {
    private struct DiskFullError: Error, CustomStringConvertible {
        var description: String { "the disk is full" }
    }

    private let phone = DeviceAddress(user: UserID(validated: "alice"), device: DeviceID(validated: "phone"))

    @Test("a token that was not renewed is one line, with the reason and the day on which it ends if that is known")
    func tokenNotRenewed() throws {
        let end = try #require(Timestamp("2026-12-22T14:44:47.000Z"))
        let event = ClientEvent.tokenNotRenewed(.notSaved(DiskFullError()), expiresAt: end)
        let sentence =
            "the token was not renewed, which is tried again; this device cannot sign in after 2026-12-22T14:44:47.000Z: "
            + "the new token could not be saved: the disk is full"
        #expect(event.warning(for: phone) == "WARNING: " + sentence)
        #expect(event.line(asJSON: false) == sentence)
        let object = try JSONObject(parsing: Array(try #require(event.line(asJSON: true)).utf8))
        #expect(try object.text("event", maximum: 64) == "token.not_renewed")
        #expect(try object.text("message", maximum: 512) == sentence)
        #expect(try object.text("expires_at", maximum: 64) == end.description)

        let unknown = ClientEvent.tokenNotRenewed(.unreadable(DiskFullError()), expiresAt: nil)
        #expect(
            unknown.warning(for: phone)
                == "WARNING: the token was not renewed, which is tried again: the disk is full")
    }
}

import ParleyProtocol
import TestNames
import Testing

@testable import parley

@Suite("A token that an operator has handed over")
struct HandedTokenTests {
    /// Signed by nobody: the tool reads whose it is, and the gateway judges it.
    private static func token(_ role: AccessToken.Role = .device, expiresAt: Int64 = 1_800_000_000) -> String {
        let claims = AccessToken.Claims(user: "alice", device: "phone", expiresAt: expiresAt, id: .random(), role: role)
        let signature = String(repeating: "A", count: 86)
        return String(decoding: AccessToken.signingInput(for: claims), as: UTF8.self) + "." + signature
    }

    @Test("it says whose it is and when it ends, alone and in the object that it came in")
    func read() throws {
        let text = HandedTokenTests.token()
        let object =
            #"{"username":"alice","client_id":"alice:phone","password":"\#(text)","expires_at":"2027-01-15T08:00:00.000Z"}"#
        for form in [text, "  \(text)\r", object] {
            let token = try #require(HandedToken(form))
            #expect(token.device == DeviceAddress(argument: "alice/phone"))
            #expect(token.credentials.password == text && token.credentials.clientID == "alice:phone")
            #expect(token.credentials.expiresAt == Timestamp(milliseconds: 1_800_000_000_000))
        }
    }

    @Test("what is no device's token is none")
    func refused() {
        for text in [
            "", "{}", "token", #"{"password":"x"}"#, HandedTokenTests.token(.operator),
            HandedTokenTests.token(.gateway), HandedTokenTests.token(expiresAt: 999_999_999_999_999),
            String(HandedTokenTests.token().dropLast()),
        ] {
            #expect(HandedToken(text) == nil, "\(text)")
        }
    }
}

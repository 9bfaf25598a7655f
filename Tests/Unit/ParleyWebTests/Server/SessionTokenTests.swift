import ParleyProtocol
import Testing

@testable import ParleyWeb

@Suite("Tokens at the web door")
struct SessionTokenTests {
    private func token(_ role: AccessToken.Role) throws -> String {
        let claims = AccessToken.Claims(
            user: UserID(validated: "alice"), device: DeviceID(validated: "phone"), expiresAt: 2_000_000_000,
            id: TokenID(.random()), role: role)
        let signature = [UInt8](repeating: 7, count: 64)
        let bytes = CompactToken.assemble(signingInput: AccessToken.signingInput(for: claims), signature: signature)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("a device's token says whose topics it is for, whatever its signature is worth")
    func device() throws {
        let address = try #require(SessionToken(try token(.device))).address
        #expect("\(address)" == "alice/phone")
    }

    @Test(
        "operators do not come through the door, nor do doors and the gateway",
        arguments: [AccessToken.Role.operator, .door, .gateway])
    func others(_ role: AccessToken.Role) throws {
        #expect(SessionToken(try token(role)) == nil)
    }

    @Test("the door's own device has a token of that role, and no other is one", arguments: AccessToken.Role.allCases)
    func door(role: AccessToken.Role) throws {
        #expect((SessionToken(ofDoor: try token(role)) != nil) == (role == .door))
        #expect(SessionToken(ofDoor: "x") == nil)
    }
}

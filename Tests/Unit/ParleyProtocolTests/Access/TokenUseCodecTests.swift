import ParleyProtocol
import Testing

@Suite("Reports of tokens in use")
struct TokenUseCodecTests {
    private static func use(_ number: Int) -> TokenUse {
        TokenUse(
            device: DeviceAddress(user: UserID(validated: "user-\(number)"), device: DeviceID(validated: "phone")),
            token: .random())
    }

    @Test("uses come back as they were, over as many messages as it takes", arguments: [0, 1, 2, 5000])
    func roundTrip(count: Int) {
        let uses = (0..<count).map(Self.use)
        let messages = TokenUseCodec.messages(for: uses)
        #expect(messages.allSatisfy { $0.count <= TokenUseCodec.usualLength })
        #expect(messages.compactMap { TokenUseCodec.uses(in: $0) }.flatMap { $0 } == uses)
    }

    @Test("a message that is wrong anywhere says nothing")
    func malformed() throws {
        let message = try #require(TokenUseCodec.messages(for: [Self.use(1), Self.use(2)]).first)
        for count in 0..<message.count where TokenUseCodec.uses(in: Array(message.prefix(count))) != nil {
            #expect(TokenUseCodec.uses(in: Array(message.prefix(count)))?.count ?? 2 < 2)
        }
        #expect(TokenUseCodec.uses(in: []) == nil)
        #expect(TokenUseCodec.uses(in: message + [0]) == nil)
        #expect(TokenUseCodec.uses(in: [2] + message.dropFirst()) == nil)
        var slash = message
        slash[2] = UInt8(ascii: "/")
        #expect(TokenUseCodec.uses(in: slash) == nil)
        #expect(TokenUseCodec.uses(in: [1] + [UInt8](repeating: 0, count: TokenUseCodec.maximumLength)) == nil)
    }
}

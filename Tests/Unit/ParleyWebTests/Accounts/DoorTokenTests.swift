import Logging
import NIOConcurrencyHelpers
import ParleyProtocol
import Testing

@testable import ParleyWeb

@Suite("The door's own token")
struct DoorTokenTests {
    private func file(_ role: AccessToken.Role) -> [UInt8] {
        let credentials = DeviceCredentials(
            username: "web", clientID: "web:door", password: DoorSample.tokenText(user: "web", device: "door", role),
            expiresAt: Timestamp(milliseconds: 0))
        var writer = JSONWriter()
        credentials.write(to: &writer)
        return writer.finish()
    }

    private func token(_ bytes: [UInt8]?) async -> SessionToken? {
        await DoorToken(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) { bytes }.current()
    }

    @Test("it is that of the gateway's file")
    func file() async {
        #expect(await token(file(.door))?.address == .webDoor)
    }

    @Test("a file of another role's, one that is none, and none are no token")
    func others() async {
        for role in AccessToken.Role.allCases where role != .door { #expect(await token(file(role)) == nil) }
        for bytes in [nil, [], Array("{}".utf8), Array("x".utf8)] as [[UInt8]?] { #expect(await token(bytes) == nil) }
    }

    @Test("the file is read at most once a second, however many ask")
    func seldom() async {
        let reads = NIOLockedValueBox(0)
        let bytes = file(.door)
        let token = DoorToken(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) {
            reads.withLockedValue { $0 += 1 }
            return bytes
        }
        let began = ContinuousClock.now
        for _ in 0..<1000 { #expect(await token.current() != nil) }
        let seconds = Int((ContinuousClock.now - began).components.seconds)
        #expect((1...(seconds + 2)).contains(reads.withLockedValue { $0 }))
    }
}

import ParleyProtocol
import TestNames
import Testing

@testable import ParleyBridge

@Suite("Profile")
struct ProfileTests {
    @Test("a zone that nobody knows is refused, and nothing beside it is set")
    func unknownZoneIsRefused() throws {
        let world = try SocialWorld()
        let before = try world.read(GetProfile.self, by: "alice").payload
        let change = #"{"photo_url":"https://example.org/x","time_zone":"Mars/Olympus"}"#
        #expect(try world.ask(ProfileChange.self, by: "alice", change).code == "bad_request")
        #expect(try world.read(GetProfile.self, by: "alice").payload == before)
    }
}

import ParleyProtocol
import ParleyRules
import Testing

struct ConnectedUsersTests {
    @Test func `the first connection and the last end are news, those between are not`() {
        var users = ConnectedUsers()
        users.arrived("alice")
        #expect(users.takeNews() == [.online("alice")])
        users.arrived("alice")
        users.left("alice")
        #expect(users.takeNews().isEmpty)
        #expect(users.everyone == ["alice"])
        users.left("alice")
        #expect(users.takeNews() == [.offline("alice")])
        #expect(users.everyone.isEmpty)
    }

    @Test func `who goes and comes back before anybody asks is no news, nor who only looks in`() {
        var users = ConnectedUsers()
        users.arrived("alice")
        _ = users.takeNews()
        users.left("alice")
        users.arrived("alice")
        users.arrived("bob")
        users.left("bob")
        #expect(users.takeNews().isEmpty)
    }

    @Test func `an end without a beginning changes nothing`() {
        var users = ConnectedUsers()
        users.left("alice")
        #expect(users.takeNews().isEmpty && users.everyone.isEmpty)
        users.arrived("alice")
        #expect(users.takeNews() == [.online("alice")])
    }
}

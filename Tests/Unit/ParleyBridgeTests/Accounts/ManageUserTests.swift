import ParleyProtocol
import ParleyRules
import ParleyStore
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge

/// What operators do with users: `admin/get-user`, `…/rename-user`, `…/disable-user`, `…/enable-user`, `…/remove-user`.
@Suite("Users in the hands of operators", .onEveryStore)
struct ManageUserTests {
    private let world: AccountWorld
    private let console = device("operator", "console")
    private let phone = device("alice", "phone")
    private var test: TestWriter { world.test }

    init() throws { world = try AccountWorld() }

    private func ask(_ command: some Command) throws -> Published { try world.ask(command, by: console) }

    private func isChanged(_ command: some Command) throws -> Bool? {
        try ask(command).data["changed"] as? Bool
    }

    private func audience(_ command: some Command) throws -> [AudienceChange] {
        test.carryOut([try request(command, from: console)]).effects.audience
    }

    @Test("a disabled user's devices end for the broker, and what they have asked is refused; enabled, they go on")
    func disabling() throws {
        let ended = try audience(DisableUser(user: "alice"))
        #expect(Set(ended) == [.deviceEnded(phone), .deviceEnded(device("alice", "laptop"))])
        let asked = [RenewDevice(device: nil)]
        #expect(try world.ask(asked[0], by: phone).code == "unauthenticated")
        let read = try test.reader().answer(try request(ListDevices(), from: phone), now: at(0))
        #expect(try read.published.first?.code == "unauthenticated")
        #expect(try isChanged(DisableUser(user: "alice")) == false)
        // A process that starts now tells its plugin of others alone.
        var told: [UserID] = []
        try test.store.read { try $0.devices.readAll { told.append($0.address.user) } }
        #expect(!told.contains("alice") && told.contains("bob"))

        let back = try audience(EnableUser(user: "alice"))
        #expect(back.count == 2)
        #expect(back.allSatisfy { if case .device(let address, _) = $0 { address.user == "alice" } else { false } })
        #expect(try world.ask(asked[0], by: phone).isOK == true)
        #expect(try isChanged(EnableUser(user: "alice")) == false)
    }

    @Test("nothing is deleted of a disabled user, others write to them as before, and they sign in nowhere")
    func others() throws {
        let dave = try world.makeAccount("dave@example.com", "dave").address
        #expect(try ask(DisableUser(user: "dave")).isOK == true)
        #expect(try world.signIn("dave@example.com").code == "forbidden")
        let device = AddDevice(address: DeviceAddress(user: "dave", device: "tablet"))
        #expect(try ask(device).code == "forbidden")
        #expect(try ask(RenewUserDevice(address: dave)).code == "forbidden")
        let created = try world.ask(CreateConversation(form: .direct, participants: ["dave"]), by: phone)
        #expect(created.isOK == true)
        let sent = test.carryOut([try send(try ConversationID.direct(["alice", "dave"]))]).effects.outgoing
        #expect(try sent.replies.first?.isOK == true)
        #expect(try ask(EnableUser(user: "dave")).isOK == true)
        #expect(try world.signIn("dave@example.com").isOK == true)
        #expect(try ask(device).isOK == true)
    }

    @Test("a device of a disabled user can be revoked, and is not there when they are enabled")
    func revoking() throws {
        #expect(try ask(DisableUser(user: "alice")).isOK == true)
        #expect(try ask(RevokeUserDevice(address: phone)).isOK == true)
        #expect(try audience(EnableUser(user: "alice")).count == 1)
        #expect(try world.ask(RenewDevice(device: nil), by: phone).code == "unauthenticated")
    }

    @Test("a renamed user has the new name and the same id, and a repeat changes nothing")
    func renaming() throws {
        #expect(try isChanged(RenameUser(user: "alice", displayName: "Ann")) == true)
        #expect(try test.store.read { try $0.users.profile("alice")?.displayName } == "Ann")
        #expect(try isChanged(RenameUser(user: "alice", displayName: "Ann")) == false)
        #expect(try ask(RenameUser(user: "operator", displayName: "Root")).code == "forbidden")
    }

    @Test("a removed user is one who has deleted their account, whatever they were before; a repeat says so")
    func removing() throws {
        _ = try test.conversation(["bob", "alice", "carol"], id: CommandExample.group)
        #expect(try test.carryOut([try send(CommandExample.group)]).effects.outgoing.replies.first?.isOK == true)
        #expect(try ask(DisableUser(user: "alice")).isOK == true)
        #expect(try isChanged(RemoveUser(user: "alice")) == true)
        for second in 0..<20 { test.writer.run(AccountRemovalDuty.self, now: at(.seconds(Int64(second)))) }
        #expect(try test.text("SELECT count(*) FROM account_removals") == "0")
        #expect(try test.text("SELECT count(*) FROM members WHERE user = 'alice'") == "0")
        #expect(try test.text("SELECT count(*) FROM records WHERE sender = 'alice' AND content IS NOT NULL") == "1")
        #expect(try isChanged(RemoveUser(user: "alice")) == false)
        for code in [
            try ask(DisableUser(user: "alice")), try ask(EnableUser(user: "alice")),
            try ask(RenameUser(user: "alice", displayName: "A")), try ask(RemoveUser(user: "nobody")),
        ].map(\.code) { #expect(code == "not_found") }
    }

    @Test("a user who never had a device is removed as well")
    func withoutDevices() throws {
        #expect(try ask(AddUser(user: "erin")).isOK == true)
        #expect(try isChanged(RemoveUser(user: "erin")) == true)
    }

    @Test("what is shown of a user has no content, and people are shown nothing")
    func showing() throws {
        let reader = try test.reader()
        func answer(_ user: UserID, by sender: DeviceAddress) throws -> Published {
            try #require(try reader.answer(try request(GetUser(user: user), from: sender), now: at(0)).published.first)
        }
        let details = try answer("alice", by: console).value(UserDetails.self)
        #expect(details.devices.map(\.device) == ["laptop", "phone"] && details.disabledAt == nil)
        #expect(try answer("nobody", by: console).code == "not_found")
        #expect(try answer("operator", by: console).code == "forbidden")
        #expect(try answer("alice", by: phone).code == "forbidden")
    }
}

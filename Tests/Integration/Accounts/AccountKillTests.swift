import Foundation
import Glibc
import ParleyProtocol
import TestSupport
import Testing

/// kill -9 in the midst of registrations, mails and deletions. Each test has a gateway of its own.
@Suite("Accounts and kills", .ownThreads)
struct AccountKillTests {
    private func restart(_ gateway: TestGateway) throws {
        gateway.endParleyd(SIGKILL)
        try gateway.startParleyd()
    }

    @Test("a registration that was answered is kept over a kill, and its mail comes")
    func registration() throws {
        let gateway = try TestGateway(settings: TestGateway.accounts)
        let door = try AccountDoor(gateway)
        for number in 0..<TestForm.count(short: 5, whole: 50) {
            let (email, user) = ("a\(number)@example.com", "a\(number)")
            #expect(try door.register(email, as: user)["ok"] == true)
            try restart(gateway)
            let code = try door.code(mailedTo: email)
            let id = newID()
            let first = try door.verify(email, code, id: id)
            #expect(try first.credentials.username == user)
            try restart(gateway)
            // Whoever did not hear the reply asks again, and gets the same device.
            #expect(try door.verify(email, code, id: id)["data"] == first["data"])
            #expect(try gateway.connect(first.credentials).accepted("devices/list")["devices"].elements.count == 1)
        }
    }

    @Test("mails that could not be sent wait over kills, and go to each once there is a way")
    func mails() throws {
        let gateway = try TestGateway(settings: TestGateway.accounts)
        let door = try AccountDoor(gateway)
        // A file where the directory of mails should be.
        let folder = gateway.directory + "/mails"
        try Data().write(to: URL(filePath: folder))
        let emails = (0..<12).map { "a\($0)@example.com" }
        for (number, email) in emails.enumerated() {
            #expect(try door.register(email, as: "a\(number)")["ok"] == true)
        }
        try restart(gateway)
        gateway.endParleyd(SIGKILL)
        try FileManager.default.removeItem(atPath: folder)
        try gateway.startParleyd()
        for (number, email) in emails.enumerated() {
            let reply = try door.verify(email, try door.code(mailedTo: email))
            #expect(try reply.credentials.username == "a\(number)")
        }
    }

    @Test(
        "a deletion goes on after kills: the departed user is in no group, and the others see nobody",
        .oneMachine(.connection))
    func deletion() throws {
        let gateway = try TestGateway(settings: TestGateway.accounts)
        let door = try AccountDoor(gateway)
        let email = "dave@example.com"
        let dave = try gateway.connect(try door.makeAccount(email, as: "dave"))
        let bob = try gateway.client()
        // More pages than one part of the removal takes.
        let groups = try (0..<40).map { _ in try dave.group(with: bob) }
        let direct = try dave.conversation(with: bob.user)
        for conversation in [direct, groups[0]] { try dave.accepted("messages/send", message(conversation)) }
        try dave.accepted("social/follow", ["user_id": .string(bob.user)])
        let second = try door.signIn(email).credentials

        func delete(_ password: String, by client: DeviceClient) throws -> [UInt8] {
            let fields: JSON = ["id": .string(newID()), "user_id": "dave", "password": .string(password)]
            return try client.ask("account/delete", fields.bytes)
        }
        #expect(try dave.reply(to: delete("wrong", by: dave)).refusal == "forbidden")
        _ = try delete(AccountDoor.password, by: dave)
        #expect(dave.endsByItself())
        for _ in 0..<3 { try restart(gateway) }

        // At once nobody signs in as them any more.
        for credentials in [dave.credentials, second] { #expect(gateway.refuses(credentials)) }
        #expect(try door.signIn(email).refusal == "unauthenticated")
        for group in groups {
            try eventually("that dave has left \(group)") { () -> Void? in
                let members = try bob.accepted("conversations/get", ["conversation_id": .string(group)])
                return members.description.contains(#""user_id":"dave""#) ? nil : ()
            }
        }
        // The conversation of the two stays the other's, with what was said in it.
        for conversation in [direct, groups[0]] {
            let history = try bob.accepted("history/get", ["conversation_id": .string(conversation)])
            #expect(history["messages"].elements.contains { $0["sender_id"] == "dave" }, "\(history)")
        }
        #expect(try bob.refusal("profile/get", ["user_id": "dave"]) == "not_found")
        #expect(try bob.refusal("social/follow", ["user_id": "dave"]) == "not_found")
        // As to somebody who blocks: not before the removal has come to this conversation.
        try eventually("that nobody writes to dave") { try bob.refusal("messages/send", message(direct)) }
        // The address makes a new account, and the id stays taken.
        #expect(try door.register(email, as: "dave").refusal == "conflict")
        #expect(try door.makeAccount(email, as: "david").username == "david")
    }
}

import Foundation
import ParleyProtocol
import ParleyRules
import TestSupport
import Testing

@testable import ParleyStore

/// What `parleyd backup` and `parleyd restore` say, and what they refuse.
@Suite("The commands that keep and put back", .ownThreads, .oneMachine(.databaseFile))
struct RestoreCommandTests {
    private func names(_ gateway: TestGateway) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: gateway.directory).filter { $0.hasPrefix("parley.") }
            .sorted()
    }

    @Test("while a gateway runs a backup is made, and nothing is put back")
    func running() throws {
        let gateway = try TestGateway()
        let (alice, bob, conversation) = try gateway.pair()
        let sent = message(conversation)
        let reply = try alice.accepted("messages/send", sent)
        let file = gateway.directory + "/kept"
        let made = try gateway.run(["backup", "--data", gateway.directory, file])
        #expect(made.status == 0 && made.output.contains("/kept: "), "\(made.errors)")
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
        let before = try names(gateway)
        for arguments in [[file], ["--in-place"]] {
            let refused = try gateway.run(["restore", "--data", gateway.directory] + arguments)
            #expect(refused.status == 1 && refused.errors.contains("runs; stop parleyd first"), "\(refused.errors)")
        }
        #expect(try names(gateway) == before)
        #expect(try alice.accepted("messages/send", sent) == reply)
        _ = try bob.accepted("messages/send", message(conversation))
        // Later writes are not in the backup.
        let store = try Store(path: file)
        #expect(
            try store.read { try $0.conversations.conversation(#require(ConversationID(conversation)))?.facts.lastSeq }
                == 1)
        let again = try gateway.run(["backup", "--data", gateway.directory, file])
        #expect(again.status == 1 && again.errors.contains("exists"), "\(again.errors)")
    }

    @Test("what cannot be put back is refused with a sentence, and the gateway starts as it was")
    func refused() throws {
        let gateway = try TestGateway()
        let (alice, _, conversation) = try gateway.pair()
        let sent = message(conversation)
        let reply = try alice.accepted("messages/send", sent)
        gateway.endParleyd()
        let before = try names(gateway)
        let later = Migration(name: "999", sql: "CREATE TABLE later (x INTEGER) STRICT")
        let newer = gateway.directory + "/newer"
        try Store(path: newer, migrations: Migrations(Migrations.steps + [later])).close()
        for (arguments, word) in [
            ([newer], "was made by a newer version of Parley"), (["nowhere"], "there is no such file"),
            ([gateway.directory + "/parleyd.json"], "not a usable database"), ([], "name a file, or give --in-place"),
            ([newer, "--in-place"], "name a file, or give --in-place"), ([gateway.database], "--in-place"),
        ] {
            let refused = try gateway.run(["restore", "--data", gateway.directory] + arguments)
            #expect(refused.status != 0 && refused.errors.contains(word), "\(arguments) \(refused.errors)")
            #expect(try names(gateway) == before)
        }
        try gateway.startParleyd()
        #expect(try alice.accepted("messages/send", sent) == reply)
        #expect(!gateway.log.contains("was put back"))
    }

    @Test("a directory that was put back whole begins anew when it is asked to")
    func inPlace() throws {
        let gateway = try TestGateway()
        let (alice, _, conversation) = try gateway.pair()
        let epoch = try alice.accepted("messages/send", message(conversation))["epoch"]
        gateway.endParleyd()
        let done = try gateway.run(["restore", "--data", gateway.directory, "--in-place"])
        #expect(done.status == 0 && done.output.contains("conversations with a new epoch: 1"), "\(done.errors)")
        try gateway.startParleyd()
        let reply = try alice.accepted("messages/send", message(conversation))
        #expect(reply["epoch"] != epoch && reply["seq"] == 2)
        #expect(!gateway.log.contains("was put back"))
    }
}

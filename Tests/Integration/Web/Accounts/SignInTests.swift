import Foundation
import MQTTWire
import ParleyProtocol
import Platform
import TestSupport
import Testing

/// People sign in through the door. Each test has a gateway and doors of its own.
@Suite("Sign-ins at the web door", .ownThreads)
struct WebSignInTests {
    @Test("who registers gets a code, makes the account by it, and writes with its token")
    func register() throws {
        let site = try AccountSite()
        let bob = try site.gateway.person()
        let alice = try site.makeAccount("alice@example.com", "alice")
        let made = try site.door.ask(
            "POST", "/api/v1/conversations", ["type": "direct", "participant_ids": [.string(bob.username)]],
            as: alice.credentials)
        #expect(made.status == 201)
        let sent = try site.door.ask(
            "POST", "/api/v1/messages", message(made.json["id"].text ?? ""), as: alice.credentials)
        #expect(sent.status == 201 && sent.json["sender_id"] == "alice")
        #expect(try site.ask("providers", [:]).json["data"]["registration"] == "open")
    }

    @Test("a sign-in makes a device, or the token of one anew, whose old one ends")
    func devices() throws {
        let site = try AccountSite()
        let first = try site.makeAccount("alice@example.com", "alice")
        let second = try site.account(try site.ask("sign-in", AccountSite.signIn("alice@example.com")))
        #expect(second.device != first.device)
        #expect(try site.profileStatus(first) == 200 && site.profileStatus(second) == 200)
        let again = try site.account(
            try site.ask(
                "sign-in",
                AccountSite.signIn("ALICE@example.com", AccountSite.password, ["device_id": .string(first.device)])))
        #expect(again.device == first.device && again.credentials.password != first.credentials.password)
        #expect(try site.profileStatus(again) == 200)
        #expect(try site.profileStatus(first) == 401)
        #expect(try site.profileStatus(second) == 200)
    }

    @Test("a wrong password and an unknown address get one answer, and so do two addresses that ask for codes")
    func uniform() throws {
        let site = try AccountSite()
        _ = try site.makeAccount("alice@example.com", "alice")
        let answers = [
            try site.ask("sign-in", AccountSite.signIn("alice@example.com", "wrong horse battery")),
            try site.ask("sign-in", AccountSite.signIn("nobody@example.com")),
        ]
        #expect(answers.allSatisfy { $0.status == 401 && $0.code == "unauthenticated" })
        #expect(answers[0].fields.body == answers[1].fields.body)
        #expect(answers[0].fields["www-authenticate"] == answers[1].fields["www-authenticate"])
        for verb in ["send-code", "register"] {
            let more: JSON = verb == "register" ? ["password": "correct horse", "user_id": "carol"] : [:]
            let answers = try ["alice", "nobody"].map {
                try site.ask(verb, JSON.object(["email": .string("\($0)@example.com")]).with(more))
            }
            #expect(answers.allSatisfy { $0.status == 200 } && answers[0].fields.body == answers[1].fields.body)
        }
        let codes = try ["alice", "nobody"].map {
            try site.ask("verify", AccountSite.signIn("\($0)@example.com").with(["code": "00000000"]))
        }
        #expect(codes[0].status == codes[1].status && codes[0].fields.body == codes[1].fields.body)
    }

    @Test("a reset by a code sets the password, and signs out every device")
    func reset() throws {
        let site = try AccountSite()
        let email = "alice@example.com"
        let devices = [
            try site.makeAccount(email, "alice"), try site.account(try site.ask("sign-in", AccountSite.signIn(email))),
        ]
        let earlier = try site.code(for: email)
        #expect(try site.ask("send-code", ["email": .string(email)]).status == 200)
        let code = try site.code(for: email, besides: earlier)
        let reset: JSON = ["email": .string(email), "code": .string(code), "password": "another horse battery"]
        #expect(try site.ask("reset", reset.with(["code": "00000000"])).status != 200)
        #expect(try site.ask("reset", reset).status == 200)
        for device in devices {
            try eventually("the end of its token") { try site.profileStatus(device) == 401 ? () : nil }
        }
        #expect(try site.ask("sign-in", AccountSite.signIn(email)).status == 401)
        let again = try site.ask("sign-in", AccountSite.signIn(email, "another horse battery"))
        #expect(try site.profileStatus(try site.account(again)) == 200)
    }

    @Test("the same request under the same key makes one device, at any door; another's makes another")
    func repeated() throws {
        let site = try AccountSite()
        _ = try site.makeAccount("alice@example.com", "alice")
        _ = try site.makeAccount("bob@example.com", "bob")
        let key = ["Idempotency-Key: 1"]
        let body = AccountSite.signIn("alice@example.com")
        let first = try site.ask("sign-in", body, key)
        let other = try site.anotherDoor()
        #expect(site.door.end(with: SIGKILL) != 0)
        let second = try site.ask("sign-in", body, at: other, key)
        #expect(first.status == 200 && first.fields.body == second.fields.body)
        let bobs = try site.ask("sign-in", AccountSite.signIn("bob@example.com"), at: other, key)
        #expect(bobs.status == 200 && bobs.json["data"]["user_id"] == "bob")
        // Nobody gets a token by a key that somebody else has used.
        #expect(
            try site.ask("sign-in", AccountSite.signIn("alice@example.com", "wrong"), at: other, key).status == 401)
        let given = AccountSite.signIn("alice@example.com").with(["id": .string(newID())])
        let named = try (0..<2).map { _ in try site.ask("sign-in", given, at: other) }
        #expect(named[0].status == 200 && named[0].fields.body == named[1].fields.body)
        let stolen = given.with(["password": "wrong"])
        #expect(try site.ask("sign-in", stolen, at: other).status == 409)
    }

    @Test("a gateway that is killed after a registration has lost nothing of it")
    func killed() throws {
        let site = try AccountSite()
        let body = AccountSite.signIn("alice@example.com", AccountSite.password, ["user_id": "alice"])
        #expect(try site.ask("register", body).status == 200)
        site.gateway.endParleyd(SIGKILL)
        try site.gateway.startParleyd()
        let verify = AccountSite.signIn("alice@example.com").with([
            "code": .string(try site.code(for: "alice@example.com"))
        ])
        let account = try site.account(try site.ask("verify", verify))
        #expect(try site.profileStatus(account) == 200)
    }
}

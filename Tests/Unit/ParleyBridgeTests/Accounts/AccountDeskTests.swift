import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@testable import ParleyBridge
@testable import ParleyStore

@Suite("The desk beside the writer")
struct AccountDeskTests {
    /// - Parameter network: for each number another one.
    private func signIn(_ number: Int, from network: String? = nil) throws -> IncomingCommand {
        try request(
            SignInByPassword(
                id: AccountRequestID(UUIDValue(high: 9, low: UInt64(number))),
                network: try #require(ClientNetwork(network ?? "192.0.2.\(number)")),
                email: try AccountWorld.email("u\(number)@example.com"),
                password: try AccountWorld.password("correct horse")), from: .webDoor)
    }

    private func refusal(_ submission: AccountDesk.Submission) -> Rejection? {
        if case .refused(let rejection) = submission { rejection } else { nil }
    }

    @Test("what waits is bounded: beyond that a sign-in is refused at once, and told when to come again")
    func bounded() throws {
        let world = try AccountWorld { $0.accountAttemptsPerNetwork = 1_000_000 }
        var refusals: [Rejection] = []
        for number in 0..<100 {
            refusals += [refusal(world.desk.submit(try signIn(number), now: at(0)))].compactMap { $0 }
        }
        #expect(refusals.count == 100 - AccountRoomRule.mostWaiting)
        #expect(refusals.allSatisfy { $0.code == .rateLimited && ($0.retryAfterMilliseconds ?? 0) > 0 })
        world.desk.workOnWaiting()
        #expect(world.desk.drainFound().count == AccountRoomRule.mostWaiting)
        #expect(refusal(world.desk.submit(try signIn(200), now: at(0))) == nil)
    }

    @Test(
        "one site has a part of the room, and another one still comes in",
        arguments: [
            (["192.0.2.1"], "192.0.2.2"), (["2001:db8:0:1::1", "2001:db8:0:2::1", "2001:db8:0:ff::"], "2001:db8:1::1"),
        ])
    func shareOfSite(networks: [String], other: String) throws {
        let world = try AccountWorld { $0.accountAttemptsPerNetwork = 1_000_000 }
        for number in 0..<AccountRoomRule.mostWaitingOfSite {
            let network = networks[number % networks.count]
            #expect(refusal(world.desk.submit(try signIn(number, from: network), now: at(0))) == nil)
        }
        #expect(refusal(world.desk.submit(try signIn(90, from: networks[0]), now: at(0)))?.code == .rateLimited)
        #expect(refusal(world.desk.submit(try signIn(91, from: other), now: at(0))) == nil)
        world.desk.workOnWaiting()
        #expect(refusal(world.desk.submit(try signIn(92, from: networks[0]), now: at(0))) == nil)
    }

    @Test("whoever is turned away for want of room has made no attempt, however often")
    func turnedAway() throws {
        let world = try AccountWorld {
            $0.accountAttemptsPerNetwork = 1_000_000
            $0.accountAttemptsPerAccount = 1
        }
        for number in 0..<AccountRoomRule.mostWaiting { _ = world.desk.submit(try signIn(number), now: at(0)) }
        for _ in 0..<20 { #expect(refusal(world.desk.submit(try signIn(99), now: at(0)))?.code == .rateLimited) }
        world.desk.workOnWaiting()
        #expect(refusal(world.desk.submit(try signIn(99), now: at(0))) == nil)
    }

    @Test("a copy of a request that is under way waits for its reply, and costs nothing")
    func copies() throws {
        let world = try AccountWorld { $0.accountAttemptsPerAccount = 1 }
        for _ in 0..<4 { #expect(refusal(world.desk.submit(try signIn(1), now: at(0))) == nil) }
        world.desk.workOnWaiting()
        #expect(world.desk.drainFound().count == 1)
        // A few more copies are free, and then they are attempts like others.
        let later = try (0..<8).map { _ in
            let rejection = refusal(world.desk.submit(try signIn(1), now: at(0)))
            world.desk.workOnWaiting()
            return rejection
        }
        #expect(later.contains { $0?.code == .rateLimited } && later.first == .some(nil))
    }

    @Test("attempts are limited by network and by account, known or not")
    func limits() throws {
        let world = try AccountWorld {
            $0.accountAttemptsPerNetwork = 5
            $0.accountAttemptsPerAccount = 2
        }
        for _ in 0..<2 { #expect(try world.signIn("dave@example.com").code == "unauthenticated") }
        #expect(try world.signIn("DAVE@example.com").code == "rate_limited")
        for name in ["b", "c"] { #expect(try world.signIn("\(name)@example.com").code == "unauthenticated") }
        #expect(try world.signIn("d@example.com").code == "rate_limited")
        #expect(try world.signIn("d@example.com", now: at(.seconds(3600))).code == "unauthenticated")
    }

    @Test("an unknown address is hashed for as a known one is")
    func uniform() throws {
        var settings = Settings()
        (settings.passwordPasses, settings.passwordKibibytes) = (1, 8)
        let passwords = try PasswordHashing(settings)
        let password = try AccountWorld.password("correct horse")
        let hash = try passwords.hash(password)
        #expect(try passwords.verify(password, hash))
        #expect(try !passwords.verify(try AccountWorld.password("another one"), hash))
        #expect(try !passwords.verify(password, nil))
        #expect(try passwords.hash(password) != hash)
        // The same work, told by the memory: a cost that cannot be had fails in both.
        let broken = PasswordHash(salt: hash.salt, passes: 99, kibibytes: 8, hash: hash.hash)
        #expect(throws: (any Error).self) { try passwords.verify(password, broken) }
    }

    @Test("a request without its finding is told to come again")
    func withoutFinding() throws {
        let world = try AccountWorld()
        let replies = try world.test.carryOut([try signIn(1)], withFindings: false).effects.outgoing.replies
        #expect(replies.map(\.code) == ["unavailable"])
    }

    @Test("the id of a request, which may follow from a password, is not stored")
    func keyedName() throws {
        let world = try AccountWorld()
        let id = AccountRequestID.random()
        #expect(try world.register("dave@example.com", as: "dave", id: id).isOK == true)
        #expect(try world.register("dave@example.com", as: "dave", id: id).isOK == true)
        let stored = try world.test.text("SELECT group_concat(hex(id)) FROM account_requests")
        #expect(stored?.count == 32 && stored != "\(id)".replacing("-", with: "").uppercased())
    }

    @Test("a digest of a password cannot be tried without the gateway's key")
    func keyedDigest() throws {
        let world = try AccountWorld()
        try world.makeAccount("dave@example.com", "dave")
        let stored = try world.test.text("SELECT hex(digest) FROM account_requests LIMIT 1")
        #expect(stored?.count == 32)
        #expect(
            try world.test.text("SELECT count(*) FROM account_requests WHERE digest IN (SELECT hash FROM passwords)")
                == "0")
    }
}

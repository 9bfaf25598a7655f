import Glibc
import ParleyProtocol
import TestSupport
import Testing

/// The limits of requests about accounts at a gateway with a real broker, whose clock the test moves.
@Suite("Limits of accounts", .ownThreads, .oneMachine(.clock))
struct AccountLimitTests {
    /// - Parameter limits: settings.
    private func run(_ limits: JSON, _ body: (AccountDoor, MovedClock) throws -> Void) async throws {
        let gateway = try TestGateway(settings: TestGateway.accounts.with(limits), start: false)
        try gateway.startBroker()
        let clock = MovedClock()
        try await gateway.runInProcess(by: clock) { try body(try AccountDoor(gateway), clock) }
    }

    /// Checks that the next one is over the limit, and waits as long as the gateway says.
    private func recover(
        _ clock: MovedClock, _ passed: inout Int64, _ ask: () throws -> JSON
    ) throws {
        let refused = try ask()
        #expect(refused.refusal == "rate_limited", "\(refused)")
        let wait = try #require(refused["error"]["retry_after_ms"].int)
        #expect((1...3_600_000).contains(wait))
        // A little less is too soon.
        clock.move(by: passed + Int64(wait) - 60_000)
        #expect(try ask().refusal == "rate_limited")
        passed += Int64(wait)
        clock.move(by: passed)
    }

    @Test("attempts at an account are counted from wherever they come, known or not, and there is room again later")
    func byAccount() async throws {
        try await run(["account_attempts_per_account": 5]) { door, clock in
            _ = try door.makeAccount("dave@example.com", as: "dave")
            var passed: Int64 = 0
            // The verification was one of the five.
            for number in 1...4 {
                #expect(
                    try door.signIn("DAVE@example.com", "wrong \(number)", from: "192.0.2.\(number)").refusal
                        == "unauthenticated")
            }
            try recover(clock, &passed) { try door.signIn("dave@example.com", from: "198.51.100.7") }
            #expect(try door.signIn("dave@example.com", from: "198.51.100.7").credentials.username == "dave")
            // An address that nobody has is treated the same.
            for number in 1...5 {
                #expect(
                    try door.signIn("nobody@example.com", "wrong \(number)").refusal == "unauthenticated")
            }
            try recover(clock, &passed) { try door.signIn("nobody@example.com") }
            #expect(try door.signIn("nobody@example.com").refusal == "unauthenticated")
        }
    }

    @Test("attempts from a network are counted whomever they are for; a household of IPv6 is one network")
    func byNetwork() async throws {
        try await run(["account_attempts_per_network": 4]) { door, clock in
            var passed: Int64 = 0
            for (first, others) in [("192.0.2.1", ["::ffff:192.0.2.1"]), ("2001:db8::1", ["2001:db8::2"])] {
                for number in 0..<4 {
                    let network = number % 2 == 0 ? first : others[0]
                    #expect(try door.signIn("a\(number)@example.com", from: network).refusal == "unauthenticated")
                }
                try recover(clock, &passed) { try door.signIn("b@example.com", from: others[0]) }
                #expect(try door.signIn("c@example.com", from: first).refusal == "unauthenticated")
            }
            #expect(try door.signIn("d@example.com", from: "2001:db8:0:1::1").refusal == "unauthenticated")
            #expect(try door.signIn("d@example.com", from: "192.0.2.2").refusal == "unauthenticated")
        }
    }

    @Test("mails and registrations have limits of their own, and a refused one sends no mail")
    func mails() async throws {
        let limits: JSON = [
            "account_mails_per_account": 3, "account_mails_per_network": 5, "registrations_per_network": 6,
        ]
        try await run(limits) { door, clock in
            var passed: Int64 = 0
            func sendCode(_ email: String, _ network: String) throws -> JSON {
                try door.ask("send-code", ["email": .string(email)], from: network)
            }
            for number in 1...3 {
                #expect(try sendCode("dave@example.com", "192.0.2.\(number)")["ok"] == true)
            }
            try recover(clock, &passed) { try sendCode("dave@example.com", "192.0.2.9") }
            for number in 1...5 { #expect(try sendCode("e\(number)@example.com", "203.0.113.1")["ok"] == true) }
            try recover(clock, &passed) { try sendCode("f@example.com", "203.0.113.1") }
            #expect(try sendCode("f@example.com", "203.0.113.1")["ok"] == true)
        }
        try await run(["registrations_per_network": 2]) { door, clock in
            var passed: Int64 = 0
            for number in 1...2 { #expect(try door.register("a\(number)@b.example", as: "a\(number)")["ok"] == true) }
            try recover(clock, &passed) { try door.register("a3@b.example", as: "a3") }
            #expect(try door.register("a4@b.example", as: "a4")["ok"] == true)
        }
    }

    @Test("a repeat of a request, which a door makes by itself, is no attempt of its own")
    func repeats() async throws {
        try await run(["account_attempts_per_account": 2]) { door, _ in
            let ids = [String](repeating: newID(), count: 2) + [newID(), newID()]
            let refusals = try ids.map { try door.signIn("nobody@example.com", id: $0).refusal }
            #expect(refusals == [String](repeating: "unauthenticated", count: 3) + ["rate_limited"])
        }
    }

    @Test("a code counts for a quarter of an hour")
    func expiry() async throws {
        try await run([:]) { door, clock in
            var passed: Int64 = 0
            for (email, minutes, isGood) in [("a@example.com", 14, true), ("b@example.com", 15, false)] {
                _ = try door.register(email, as: String(email.prefix(1)))
                let code = try door.code(mailedTo: email)
                passed += Int64(minutes) * 60_000
                clock.move(by: passed)
                #expect(try (door.verify(email, code)["ok"] == true) == isGood, "\(minutes)")
            }
        }
    }
}

import ParleyProtocol
import TestSupport
import Testing

/// Whether somebody who asks at the door learns which addresses have accounts.
@Suite("Enumeration of accounts", .ownThreads, .seeded)
struct EnumerationTests {
    /// What is asked about an address.
    enum Question: String, CaseIterable {
        case signIn = "sign-in"
        case register, verify
        case sendCode = "send-code"
        case reset

        func fields(_ email: String) -> JSON {
            let fields: JSON = ["email": .string(email)]
            switch self {
            case .signIn: return fields.with(["password": "not the password"])
            case .register:
                return fields.with([
                    "password": .string(AccountDoor.password), "user_id": .string("u-\(newID())"),
                ])
            case .verify:
                return fields.with(["code": "00000000", "password": .string(AccountDoor.password)])
            case .sendCode: return fields
            case .reset: return fields.with(["code": "00000000", "password": .string(AccountDoor.password)])
            }
        }
    }

    private static let addresses = TestForm.count(short: 60, whole: 300)
    /// How well the time of an answer may tell known addresses from others: the chance that a slower answer is of the
    /// one, against a half. Chance alone stays within a third of it.
    private static let bound = addresses < 200 ? 0.2 : 0.1
    /// A difference that is there shows each time, and what the machine does besides once.
    private static let tries = 3

    @Test("neither an answer nor how long it takes tells whether an address has an account")
    func indistinguishable() throws {
        let gateway = try TestGateway(settings: TestGateway.accounts)
        let door = try AccountDoor(gateway)
        let known = (0..<Self.addresses).map { "known\(1000 + $0)@example.com" }
        for (number, email) in known.enumerated() { _ = try door.makeAccount(email, as: "known\(number)") }
        var generator = Seeded(stream: 2600)
        for question in Question.allCases {
            var shares: [Double] = []
            for attempt in 0..<Self.tries {
                let others = (0..<Self.addresses).map { "other\(1000 + $0)@example.n\(attempt)" }
                let share = try compare(question, known, others, at: door, &generator)
                shares.append(share)
                if abs(share - 0.5) <= Self.bound { break }
            }
            #expect(
                shares.contains { abs($0 - 0.5) <= Self.bound },
                "\(question.rawValue): a slower answer is of a known address in \(shares) of all cases")
        }
    }

    /// - Returns: the chance that the answer for a known address takes longer than that for another.
    private func compare(
        _ question: Question, _ known: [String], _ others: [String], at door: AccountDoor,
        _ generator: inout Seeded
    ) throws -> Double {
        var answers: Set<[UInt8]> = []
        var times: (known: [Duration], others: [Duration]) = ([], [])
        for (known, other) in zip(known, others) {
            // Who is asked about first is left to chance.
            for isKnown in [true, false].shuffled(using: &generator) {
                let begun = ContinuousClock.now
                answers.insert(try door.bytes(question.rawValue, question.fields(isKnown ? known : other)))
                let time = begun.duration(to: .now)
                if isKnown { times.known.append(time) } else { times.others.append(time) }
            }
        }
        #expect(answers.count == 1, "\(question.rawValue): \(answers.map { String(decoding: $0, as: UTF8.self) })")
        return areaUnderCurve(times.known, times.others)
    }

    @Test("the statistic finds a difference that is there")
    func planted() {
        let fast = (0..<60).map { Duration.microseconds(1000 + $0 * 10) }
        #expect(abs(areaUnderCurve(fast, fast.map { $0 + .nanoseconds(1) }) - 0.5) < 0.02)
        #expect(areaUnderCurve(fast.map { $0 + .milliseconds(1) }, fast) == 1)
        #expect(areaUnderCurve(fast, fast.map { $0 + .microseconds(300) }) < 0.5 - Self.bound)
    }
}

/// The chance that one of `ones` is above one of `others`; a half if nothing can be told from them.
private func areaUnderCurve(_ ones: [Duration], _ others: [Duration]) -> Double {
    var (above, below) = (0, 0)
    for (_, isOne) in (ones.map { ($0, true) } + others.map { ($0, false) }).sorted(by: { $0.0 < $1.0 }) {
        if isOne { above += below } else { below += 1 }
    }
    return Double(above) / Double(ones.count * others.count)
}

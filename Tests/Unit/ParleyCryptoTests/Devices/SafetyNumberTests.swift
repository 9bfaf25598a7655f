import ParleyProtocol
import Testing

@testable import ParleyCrypto

@Suite("Safety numbers")
struct SafetyNumberTests {
    let alice = UserID(validated: "alice")
    let bob = UserID(validated: "bob")
    /// Alice has two devices, Bob one.
    let aliceKeys: [IdentityKey]
    let bobKeys: [IdentityKey]
    let ofAlice: SafetyNumber
    let ofBob: SafetyNumber
    /// Computed from the text of the contract with Python's hashlib.
    static let digits = "464991610751636466838314573231993056713715972279226706420935"
    static let code = """
        parley-safety/1/alice/bob/Pbj3tOM589RaSyvc06U09YjWgTtePDK5ycQbkO8P/j6xYbAmbHxkQQYBhb5MElad-vFKZowdk2BpRppOH
        """

    init() throws {
        aliceKeys = [try Party.alice().key, try Party.carol().key]
        bobKeys = [try Party.bob().key]
        ofAlice = try #require(SafetyNumber(alice, .devices(aliceKeys), with: bob, .devices(bobKeys)))
        ofBob = try #require(SafetyNumber(bob, .devices(bobKeys), with: alice, .devices(aliceKeys.reversed())))
    }

    @Test("are sixty digits, the same on both sides, shown in groups of five")
    func digits() throws {
        #expect(ofAlice.digits == Self.digits)
        #expect(ofBob.digits == Self.digits)
        #expect(ofAlice.groups.joined() == Self.digits)
        #expect(ofAlice.groups.allSatisfy { $0.count == 5 } && ofAlice.groups.count == 12)
        #expect(ofAlice.description.hasPrefix("46499 16107 51636"))
    }

    @Test("digits that are typed in are compared from the first on, and have to show the other's keys")
    func typed() throws {
        // Bob's half stands second: for Alice three groups of it come after her own six; for Bob Alice's come first.
        let (seenByAlice, seenByBob) = (ofAlice, ofBob)
        let isAliceFirst = ofAlice.digits.hasPrefix(ofAlice.own.fingerprint.digits)
        let (first, second) = isAliceFirst ? (seenByBob, seenByAlice) : (seenByAlice, seenByBob)
        let groups = ofAlice.groups
        for (number, least) in [(first, 3), (second, 9)] {
            for count in 1...12 {
                let given = groups.prefix(count).joined(separator: " ")
                #expect(number.compare(digits: given) == (count < least ? .tooShort(groups: least) : .match))
                guard count >= least else { continue }
                // Any digit of what was given counts.
                for index in 0..<(5 * count) {
                    var digits = Array(groups.prefix(count).joined().utf8)
                    digits[index] = digits[index] == 57 ? 48 : digits[index] + 1
                    #expect(number.compare(digits: String(decoding: digits, as: UTF8.self)) == .mismatch)
                }
            }
            #expect(number.compare(digits: ofAlice.digits + "\n") == .match)
            for text in ["", " ", ofAlice.digits + "1", "46499 1610a 51636 46683", ofAlice.code, "４６４９９ 16107 51636"] {
                #expect(number.compare(digits: text) == .unreadable)
            }
        }
    }

    @Test("of users with account keys are made of these")
    func accounts() throws {
        // The public keys of RFC 8032, 7.1, TEST 1 and 2; the digits by Python's hashlib from the text of the contract.
        let ofAlice: [UInt8] = [
            0xd7, 0x5a, 0x98, 0x01, 0x82, 0xb1, 0x0a, 0xb7, 0xd5, 0x4b, 0xfe, 0xd3, 0xc9, 0x64, 0x07, 0x3a, 0x0e, 0xe1,
            0x72, 0xf3, 0xda, 0xa6, 0x23, 0x25, 0xaf, 0x02, 0x1a, 0x68, 0xf7, 0x07, 0x51, 0x1a,
        ]
        let ofBob: [UInt8] = [
            0x3d, 0x40, 0x17, 0xc3, 0xe8, 0x43, 0x89, 0x5a, 0x92, 0xb7, 0x0a, 0xa7, 0x4d, 0x1b, 0x7e, 0xbc, 0x9c, 0x98,
            0x2c, 0xcf, 0x2e, 0xc4, 0x96, 0x8c, 0xc0, 0xcd, 0x55, 0xf1, 0x2a, 0xf4, 0x66, 0x0c,
        ]
        let (aliceKey, bobKey) = (try #require(AccountKey(ofAlice)), try #require(AccountKey(ofBob)))
        let number = try #require(SafetyNumber(bob, .account(bobKey), with: alice, .account(aliceKey)))
        #expect(number.digits == "241540562580284881203337890235335549457254116419466274889807")
        let mixed = try #require(SafetyNumber(bob, .account(bobKey), with: alice, .devices(aliceKeys)))
        #expect(number.digits.contains(mixed.digits.prefix(30)) || number.digits.contains(mixed.digits.suffix(30)))
        #expect(mixed.digits != number.digits)
    }

    @Test("are others with any other key, device or user, and there is none without keys")
    func changes() throws {
        let other = try keyPair(first: 200).publicKey
        let others = [
            SafetyNumber(alice, .devices(aliceKeys + [other]), with: bob, .devices(bobKeys)),
            SafetyNumber(alice, .devices([aliceKeys[0]]), with: bob, .devices(bobKeys)),
            SafetyNumber(alice, .devices(aliceKeys), with: bob, .devices([other])),
            SafetyNumber(alice, .devices(bobKeys), with: bob, .devices(aliceKeys)),
            SafetyNumber(alice, .devices(aliceKeys), with: UserID(validated: "bo"), .devices(bobKeys)),
        ]
        #expect(Set(others.map { $0?.digits }).count == others.count)
        #expect(!others.contains { $0?.digits == Self.digits })
        #expect(SafetyNumber(alice, .devices([]), with: bob, .devices(bobKeys)) == nil)
        #expect(SafetyNumber(alice, .devices(aliceKeys), with: bob, .devices([])) == nil)
    }

    @Test("a code is compared with what the scanning device knows")
    func codes() throws {
        #expect(ofAlice.code == Self.code)
        #expect(ofBob.compare(Self.code) == .match)
        #expect(ofAlice.compare(ofBob.code) == .match)
    }

    @Test("a code that was made with other keys is a mismatch, whoever's they are")
    func mismatches() throws {
        let other = try keyPair(first: 200).publicKey
        let seenByBob = try #require(SafetyNumber(bob, .devices(bobKeys), with: alice, .devices([other])))
        let bobsOthers = try #require(SafetyNumber(bob, .devices([other]), with: alice, .devices(aliceKeys)))
        #expect(ofAlice.compare(seenByBob.code) == .mismatch)
        #expect(ofAlice.compare(bobsOthers.code) == .mismatch)
    }

    @Test("another person's code, and one's own held up like a mirror, are other users'")
    func otherUsers() throws {
        let carol = try #require(
            SafetyNumber(UserID(validated: "carol"), .devices(bobKeys), with: alice, .devices(aliceKeys)))
        #expect(ofAlice.compare(carol.code) == .otherUsers)
        #expect(ofAlice.compare(ofAlice.code) == .otherUsers)
    }

    @Test(
        "what is no code is unreadable",
        arguments: [
            "", "parley-safety", "parley-safety/", "parley-safety/1", "parley-safety/0/a/b/c/d", "parley-safety/-1",
            "parley-safety/+1/alice/bob", "parley-safety/01/alice/bob", "Parley-safety/2", "https://example.com",
            code + "/", code + "A", String(code.dropLast()), "/" + code, " " + code, code + "\n",
            code.replacing("alice", with: "al/ice"), code.replacing("alice", with: ""),
            code.replacing("alice", with: "al ice"), "parley-safety/99999999999999999999", "parley-safety/二",
            String(repeating: "parley-safety/1/", count: 100),
        ])
    func unreadable(code: String) {
        #expect(ofBob.compare(code) == .unreadable)
    }

    @Test("a code of a later version says so", arguments: ["parley-safety/2", "parley-safety/17/whatever/else"])
    func newerVersions(code: String) {
        #expect(ofBob.compare(code) == .newerVersion)
    }
}

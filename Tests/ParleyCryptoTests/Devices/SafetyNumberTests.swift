import ParleyCrypto
import ParleyProtocol
import Testing

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
        ofAlice = try #require(SafetyNumber(alice, keys: aliceKeys, with: bob, keys: bobKeys))
        ofBob = try #require(SafetyNumber(bob, keys: bobKeys, with: alice, keys: aliceKeys.reversed()))
    }

    @Test("are sixty digits, the same on both sides, shown in groups of five")
    func digits() throws {
        #expect(ofAlice.digits == Self.digits)
        #expect(ofBob.digits == Self.digits)
        #expect(ofAlice.groups.joined() == Self.digits)
        #expect(ofAlice.groups.allSatisfy { $0.count == 5 } && ofAlice.groups.count == 12)
        #expect(ofAlice.description.hasPrefix("46499 16107 51636"))
    }

    @Test("are others with any other key, device or user, and there is none without keys")
    func changes() throws {
        let other = try keyPair(first: 200).publicKey
        let others = [
            SafetyNumber(alice, keys: aliceKeys + [other], with: bob, keys: bobKeys),
            SafetyNumber(alice, keys: [aliceKeys[0]], with: bob, keys: bobKeys),
            SafetyNumber(alice, keys: aliceKeys, with: bob, keys: [other]),
            SafetyNumber(alice, keys: bobKeys, with: bob, keys: aliceKeys),
            SafetyNumber(alice, keys: aliceKeys, with: UserID(validated: "bo"), keys: bobKeys),
        ]
        #expect(Set(others.map { $0?.digits }).count == others.count)
        #expect(!others.contains { $0?.digits == Self.digits })
        #expect(SafetyNumber(alice, keys: [], with: bob, keys: bobKeys) == nil)
        #expect(SafetyNumber(alice, keys: aliceKeys, with: bob, keys: []) == nil)
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
        let seenByBob = try #require(SafetyNumber(bob, keys: bobKeys, with: alice, keys: [other]))
        let bobsOthers = try #require(SafetyNumber(bob, keys: [other], with: alice, keys: aliceKeys))
        #expect(ofAlice.compare(seenByBob.code) == .mismatch)
        #expect(ofAlice.compare(bobsOthers.code) == .mismatch)
    }

    @Test("another person's code, and one's own held up like a mirror, are other users'")
    func otherUsers() throws {
        let carol = try #require(SafetyNumber(UserID(validated: "carol"), keys: bobKeys, with: alice, keys: aliceKeys))
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

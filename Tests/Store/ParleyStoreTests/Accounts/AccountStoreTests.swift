import ParleyProtocol
import TestNames
import TestSupport
import TestedStores
import Testing

@testable import ParleyStore

@Suite("What is stored of accounts", .onEveryStore)
struct AccountStoreTests {
    private let database: any TestedDatabase
    private let store: Store

    init() throws {
        database = try TestedEngine.makeDatabase()
        store = try database.open()
        try store.write { transaction in
            for user in ["alice", "bob"] as [UserID] {
                try transaction.users.insert(user, role: .member, displayName: user.text, at: at(0))
                try transaction.devices.put(
                    device(user, "phone"), tokenID: .random(), now: at(0), expiresAt: at(1000))
            }
        }
    }

    private static let hash = PasswordHash(
        salt: [UInt8](repeating: 1, count: 16), passes: 2, kibibytes: 65_536, hash: [UInt8](repeating: 2, count: 32))
    private static let seed = [UInt8](repeating: 3, count: 16)

    private func email(_ text: String = "Alice@Example.com") throws -> EmailAddress {
        try #require(EmailAddress(text))
    }

    @Test("an address is found in either case, and is one user's; a user has one of each provider")
    func identities() throws {
        try store.write { transaction in
            try transaction.identities.set(StoredIdentity(try email(), linkedAt: at(1)), of: "alice")
            try transaction.identities.set(
                StoredIdentity(provider: "google", subject: "Sub", linkedAt: at(2)), of: "alice")
        }
        try store.read { snapshot throws in
            #expect(try snapshot.identities.user(try email("ALICE@example.COM")) == "alice")
            #expect(try snapshot.identities.user("google", "sub") == nil)
            #expect(try snapshot.identities.user("google", "Sub") == "alice")
            #expect(try snapshot.identities.identities(of: "alice").map(\.provider) == [.email, "google"])
            #expect(try snapshot.identities.identities(of: "alice").first?.address == "Alice@Example.com")
        }
        #expect(throws: StoreError.self) {
            try store.write { try $0.identities.set(StoredIdentity(try email(), linkedAt: at(1)), of: "bob") }
        }
        try store.write {
            try $0.identities.set(StoredIdentity(try email("b@example.com"), linkedAt: at(1)), of: "alice")
        }
        #expect(try store.read { try $0.identities.user(try email()) } == nil)
        #expect(try store.read { try $0.identities.identities(of: "alice").count } == 2)
    }

    @Test("a password is replaced, and removed")
    func passwords() throws {
        #expect(try store.read { try $0.passwords.password(of: "alice") } == nil)
        try store.write { try $0.passwords.set(Self.hash, of: "alice", at: at(0)) }
        #expect(try store.read { try $0.passwords.password(of: "alice") } == Self.hash)
        let other = PasswordHash(salt: Self.hash.salt, passes: 3, kibibytes: 8, hash: Self.hash.hash)
        try store.write { try $0.passwords.set(other, of: "alice", at: at(0)) }
        #expect(try store.read { try $0.passwords.password(of: "alice") } == other)
        try store.write { try $0.passwords.remove(of: "alice") }
        #expect(try store.read { try $0.passwords.password(of: "alice") } == nil)
    }

    @Test("codes are read as they were written, by address and purpose, until they end")
    func codes() throws {
        let account = CodePurpose.NewAccount(
            user: "dave", displayName: "Dave", invite: [UInt8](repeating: 4, count: 32))
        let purposes: [CodePurpose] = [
            .register(account, Self.hash), .reset("alice"), .link("alice", Self.hash), .link("bob", nil),
        ]
        let sent = try purposes.map {
            SentCode(email: try email(), purpose: $0, seed: Self.seed, expiresAt: at(100))
        }
        try store.write { transaction in for code in sent { try transaction.accountCodes.insert(code) } }
        func codes(_ kind: CodePurpose.Kind, steady: Timestamp = at(0)) throws -> [StoredCode] {
            try store.read { try $0.accountCodes.codes(of: try email("alice@example.com"), kind, steady: steady) }
        }
        #expect(try codes(.register).map(\.code) == [sent[0]] && codes(.reset).map(\.code) == [sent[1]])
        #expect(try codes(.link).map(\.code) == [sent[3], sent[2]])
        #expect(try codes(.reset, steady: at(100)).isEmpty)
        try store.write { try $0.accountCodes.countAttempt(try email(), .link) }
        #expect(try codes(.link).map(\.attempts) == [1, 1] && codes(.reset).map(\.attempts) == [0])
        try store.write { try $0.accountCodes.removeAll(of: "alice") }
        #expect(try codes(.link).map(\.code) == [sent[3]] && codes(.reset).isEmpty && codes(.register).count == 1)
    }

    @Test("mails are sent in the order in which they are due, and go; requests are known with what became of them")
    func mailsAndRequests() throws {
        let texts: [PendingMail.Text] = [
            .code(.reset, seed: Self.seed), .notice(.registered), .notice(.linked), .notice(.replaced), .notice(.added),
            .notice(.none),
        ]
        let mails = try texts.map { PendingMail(to: try email(), $0, expiresAt: at(100)) }
        try store.write { transaction in
            for (index, mail) in mails.enumerated() {
                try transaction.mails.insert(mail, dueAt: at(Int64(10 - index)))
            }
        }
        let stored = try store.read { try $0.mails.next(limit: 10) }
        #expect(stored.map(\.mail) == mails.reversed())
        try store.write { transaction in
            try transaction.mails.remove(stored[0].key)
            try transaction.mails.postpone(stored[1].key, to: at(50))
        }
        let left = try store.read { try $0.mails.next(limit: 10) }
        #expect(left.map(\.mail) == [3, 2, 1, 0, 4].map { mails[$0] } && left.map(\.attempts) == [0, 0, 0, 0, 1])
        // One that was claimed, sent or postponed since it was read is nobody's to claim.
        for (claimed, isOurs) in [(left[0], true), (left[0], false), (stored[0], false), (stored[1], false)] {
            let got = try store.write { try $0.mails.claim(claimed.key, dueAt: claimed.dueAt, until: at(60)) }
            #expect(got == isOurs)
        }
        #expect(try store.read { try $0.mails.next(limit: 10) }.last?.mail == left[0].mail)

        let ids = (0..<3).map { _ in AccountRequestID.random() }
        let outcomes: [AccountRequestOutcome] = [.done, .refused, .signedIn(device("alice", "phone"))]
        try store.write { transaction in
            for (id, outcome) in zip(ids, outcomes) {
                try transaction.accountRequests.insert(id, digest: Self.seed, outcome, removedAt: at(60))
            }
        }
        for (id, outcome) in zip(ids, outcomes) {
            #expect(
                try store.read { try $0.accountRequests.request(id) }
                    == StoredAccountRequest(digest: Self.seed, outcome: outcome))
        }
        let first = try store.write { try $0.accountRequests.removeExpired(steady: at(60), limit: 2) }
        #expect(!first.isComplete)
        let rest = try store.write { try $0.accountRequests.removeExpired(steady: at(60), limit: 2) }
        #expect(rest.isComplete && rest.nextAt == at(100))
        #expect(try store.read { try $0.accountRequests.request(ids[0]) } == nil)
    }

    @Test("a removal ends what a user is known by at once, and the rows in parts")
    func removal() throws {
        try store.write { transaction in
            try transaction.identities.set(StoredIdentity(try email(), linkedAt: at(1)), of: "alice")
            try transaction.passwords.set(Self.hash, of: "alice", at: at(0))
            try transaction.database.run("INSERT INTO follows VALUES ('bob', 'alice', 0)")
            for day in 0..<5 {
                try transaction.database.run(
                    "INSERT INTO workout_runs VALUES ('alice', \(day * 10), \(day * 10)), ('bob', \(day * 10), \(day * 10))"
                )
            }
            try transaction.devices.revoke(device("alice", "phone"), at: at(0))
            try transaction.accountRemovals.begin(device("alice", "phone"))
        }
        #expect(try store.read { try $0.users.role(of: "alice") } == .departed)
        #expect(try store.read { try $0.identities.user(try email()) } == nil)
        let removal = try #require(try store.read { try $0.accountRemovals.next() })
        #expect(removal.address == device("alice", "phone") && removal.leftThrough == RowKey(value: 0))
        try store.write { try $0.accountRemovals.setLeft(through: nil, "alice") }
        var parts = 0
        while try !store.write({ try $0.accountRemovals.removeRows(of: "alice", limit: 3) }) { parts += 1 }
        #expect(parts == 2)
        #expect(try store.read { try $0.accountRemovals.next() } == nil)
        #expect(try store.text("SELECT count(*) FROM workout_runs") == "5")
        #expect(try store.text(#"SELECT count(*) FROM devices WHERE "user" = 'alice'"#) == "0")
        #expect(try store.text("SELECT count(*) FROM follows") == "0")
    }
}

import ParleyProtocol
import TestNames
import Testing

@testable import ParleyStore

extension StoreScenario {
    /// What an operator has erased, and what they get of a user.
    private func erase(_ user: UserID, _ transaction: WriteTransaction) throws {
        let (facts, records) = (transaction.facts, transaction.facts.records)
        _ = try facts.erasures.isErased(user)
        try transaction.erasures.begin(user, at: at(0))
        let erasure = try #require(try facts.erasures.next())
        _ = try transaction.blobs.discardAll(of: user, at: at(0), limit: 9)
        let end = try records.end(ofRecordsAfter: erasure.through, limit: 9) ?? .start
        let sent = try records.sent(by: user, after: .start, through: end, limit: 9) + [.start]
        _ = try records.displayed(at: sent) { _ in true }
        try transaction.records.removeCiphertext(at: sent)
        try transaction.erasures.setLooked(Erasure(user: user, through: end))
        try transaction.erasures.eraseReports(of: user)
        try transaction.erasures.finish(user)
        let key = ConversationKey(value: 1)
        for days in [30, nil] { try transaction.retention.set(days, of: key) }
        try transaction.retention.setRemoved(through: 1, of: key)
        _ = try facts.retention.days(of: key)
        _ = try facts.retention.hasOwn()
        for ownAlone in [true, false] {
            _ = try facts.retention.conversations(after: ConversationKey(value: 0), ownAlone: ownAlone, limit: 9)
        }
        _ = try facts.retention.records(of: key, after: 0, before: at(9), limit: 9)
        for user in [user, "alice"] {
            var place: ExportPlace? = .start
            while let next = place {
                place = try facts.userExport.read(of: user, from: next, limit: 9) { _, _, _ in true }
            }
        }
    }

    /// Ways to sign in, codes, mails, and the removal of an account.
    func accounts() throws {
        let email = try #require(EmailAddress("frank@example.com"))
        let seed = [UInt8](repeating: 3, count: 16)
        let password = PasswordHash(
            salt: seed, passes: 1, kibibytes: 8, hash: [UInt8](repeating: 4, count: 32))
        try store.write { transaction in
            try transaction.identities.set(StoredIdentity(email, linkedAt: at(0)), of: "frank")
            try transaction.passwords.set(password, of: "frank", at: at(0))
            let codes = [
                SentCode(email: email, purpose: .reset("frank"), seed: seed, expiresAt: at(1)),
                SentCode(email: email, purpose: .link("frank", password), seed: seed, expiresAt: at(9)),
            ]
            for code in codes { try transaction.accountCodes.insert(code) }
            try transaction.accountCodes.countAttempt(email, .link)
            try transaction.accountCodes.removeAll(of: email, .reset)
            try transaction.accountRequests.insert(.random(), digest: seed, .done, removedAt: at(1))
            for _ in 0..<2 {
                try transaction.mails.insert(
                    PendingMail(to: email, .notice(.registered), expiresAt: at(9)), dueAt: at(0))
            }
            let mails = try transaction.facts.mails.next(limit: 9)
            _ = try transaction.mails.claim(mails[0].key, dueAt: at(0), until: at(1))
            try transaction.mails.postpone(mails[0].key, to: at(1))
            try transaction.mails.remove(mails[1].key)
            _ = try transaction.accountRequests.removeExpired(steady: at(1), limit: 9)
        }
        try store.read { snapshot throws in
            _ = try snapshot.identities.user(email)
            _ = try snapshot.identities.identities(of: "frank")
            _ = try snapshot.passwords.password(of: "frank")
            _ = try snapshot.accountCodes.codes(of: email, .link, steady: at(0))
            _ = try snapshot.accountRequests.request(.random())
            _ = try snapshot.contacts.anyContact("alice", "frank")
            _ = try snapshot.userDetails.standing(of: "frank")
            _ = try snapshot.userDetails.details(of: "frank")
            _ = try snapshot.devices.isLive(device("frank", "phone"))
        }
        try store.write { transaction in
            try transaction.users.setDisabled("frank", at: at(1))
            try transaction.users.setDisabled("frank", at: nil)
            try transaction.receipts.removeWatermarks(of: "frank", in: ConversationKey(value: 1))
            try transaction.accountRemovals.begin(device("frank", "phone"))
            _ = try transaction.facts.accountRemovals.next()
            _ = try transaction.facts.accountRemovals.conversations(
                of: "frank", after: ConversationKey(value: 0), limit: 9)
            _ = try transaction.facts.accountRemovals.followed(by: "frank", limit: 9)
            try transaction.accountRemovals.setLeft(through: nil, "frank")
            while try !transaction.accountRemovals.removeRows(of: "frank", limit: 100) {}
            try erase("frank", transaction)
        }
    }
}

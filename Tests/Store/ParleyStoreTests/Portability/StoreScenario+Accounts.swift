import ParleyProtocol
import TestNames
import Testing

@testable import ParleyStore

extension StoreScenario {
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
        }
        try store.write { transaction in
            try transaction.receipts.removeWatermarks(of: "frank", in: ConversationKey(value: 1))
            try transaction.accountRemovals.begin(device("frank", "phone"))
            _ = try transaction.facts.accountRemovals.next()
            _ = try transaction.facts.accountRemovals.conversations(
                of: "frank", after: ConversationKey(value: 0), limit: 9)
            _ = try transaction.facts.accountRemovals.followed(by: "frank", limit: 9)
            try transaction.accountRemovals.setLeft(through: nil, "frank")
            while try !transaction.accountRemovals.removeRows(of: "frank", limit: 100) {}
        }
    }
}

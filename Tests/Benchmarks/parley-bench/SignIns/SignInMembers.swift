import GatewaySite
import ParleyBridge
import ParleyProtocol
import ParleyStore
import Sodium

/// People who have accounts with an email address and a password.
struct SignInMembers {
    static let password = "correct horse battery"
    /// Each may try 20 times an hour.
    private static let count = 1000

    let emails: [String]

    /// Fills the database of a gateway that does not run.
    init(in store: Store) throws {
        let now = Timestamp.systemNow
        let hash = try Self.hash()
        emails = (0..<Self.count).map { "member-\($0)@example.com" }
        let members = try emails.enumerated().map { number, text in
            guard let email = EmailAddress(text) else { throw SiteError.badName }
            return (user: try DeviceAddress(named: "member-\(number)", "phone").user, email: email)
        }
        try store.write { transaction in
            for (user, email) in members {
                try transaction.users.insert(user, role: .member, displayName: user.description, at: now)
                try transaction.identities.set(StoredIdentity(email, linkedAt: now), of: user)
                try transaction.passwords.set(hash, of: user, at: now)
            }
        }
    }

    /// At the gateway's usual cost. All have the same, since each takes a tenth of a second.
    private static func hash() throws -> PasswordHash {
        let salt = try RandomBytes.make(count: Argon2id.saltLength)
        let cost = Argon2id.Cost.interactive
        let password = Array(password.utf8)
        let hash = try Argon2id.derive(password: password.span, salt: salt.span, cost: cost, length: 32)
            .withBytes { hash in hash.indices.map { hash[$0] } }
        return PasswordHash(salt: salt, passes: cost.passes, kibibytes: cost.kibibytes, hash: hash)
    }
}

import ParleyProtocol
import ParleyStore
import Sodium

/// Hashes passwords with Argon2id. A hash takes a tenth of a second and much memory, so that one thread alone makes
/// them, never the writer's.
struct PasswordHashing: Sendable {
    private let cost: Argon2id.Cost
    /// Compared with if there is no account, so that the check takes as long as with one.
    private let decoy: PasswordHash

    private static let hashLength = 32

    init(_ settings: Settings) throws(SodiumError) {
        cost = try Argon2id.Cost(passes: settings.passwordPasses, kibibytes: settings.passwordKibibytes)
        decoy = PasswordHash(
            salt: try RandomBytes.make(count: Argon2id.saltLength), passes: cost.passes, kibibytes: cost.kibibytes,
            hash: try RandomBytes.make(count: Self.hashLength))
    }

    func hash(_ password: AccountPassword) throws -> PasswordHash {
        let salt = try RandomBytes.make(count: Argon2id.saltLength)
        return PasswordHash(
            salt: salt, passes: cost.passes, kibibytes: cost.kibibytes, hash: try derive(password, salt, cost))
    }

    /// Whether a hash was made at another cost than that of the settings.
    func isOutdated(_ hash: PasswordHash) -> Bool { hash.passes != cost.passes || hash.kibibytes != cost.kibibytes }

    /// - Parameter stored: `nil` if there is none; the answer is `false` then, in the same time.
    func verify(_ password: AccountPassword, _ stored: PasswordHash?) throws -> Bool {
        let expected = stored ?? decoy
        let cost = try Argon2id.Cost(passes: expected.passes, kibibytes: expected.kibibytes)
        let hash = try derive(password, expected.salt, cost)
        return equalInConstantTime(hash.span, expected.hash.span) && stored != nil
    }

    /// - Throws: `unavailable` for lack of memory.
    private func derive(_ password: AccountPassword, _ salt: [UInt8], _ cost: Argon2id.Cost) throws -> [UInt8] {
        let bytes = Array(password.text.utf8)
        do throws(SodiumError) {
            return try Argon2id.derive(password: bytes.span, salt: salt.span, cost: cost, length: Self.hashLength)
                .withBytes { hash in hash.indices.map { hash[$0] } }
        } catch .outOfMemory {
            throw Rejection.unavailable
        }
    }
}

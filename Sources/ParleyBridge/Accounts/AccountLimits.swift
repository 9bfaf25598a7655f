import ParleyProtocol
import ParleyRules

/// A charge for a request about an account.
enum AccountUse: Hashable, Sendable {
    /// An attempt with a password, a code or an identity token.
    case attempt(AccountLimitKey)
    /// A requested mail.
    case mail(AccountLimitKey)
    /// A requested account.
    case registration(ClientNetwork)
}

extension AccountUse {
    /// The sender's network, if it is charged.
    var network: ClientNetwork? {
        switch self {
        case .attempt(.network(let network)), .mail(.network(let network)), .registration(let network): network
        case .attempt, .mail: nil
        }
    }
}

/// The key by which uses are counted.
enum AccountLimitKey: Hashable, Sendable {
    case network(ClientNetwork)
    /// Of a user or not.
    case email(EmailAddress)
    case user(UserID)
}

/// The limits of requests about accounts, by network and by account.
///
/// They are in memory, like all rates: a restart, which no client can cause, resets them. The wrong attempts at a code,
/// which must survive it, are in the database.
struct AccountLimits: Sendable {
    private var attemptsByNetwork: RateLimiter<AccountLimitKey>
    private var attemptsByAccount: RateLimiter<AccountLimitKey>
    private var mailsByNetwork: RateLimiter<AccountLimitKey>
    private var mailsByAccount: RateLimiter<AccountLimitKey>
    private var registrations: RateLimiter<ClientNetwork>

    init(_ settings: Settings) {
        func hourly<Key>(_ count: Int) -> RateLimiter<Key> { RateLimiter(Rate(burst: count, perHour: count)) }
        attemptsByNetwork = hourly(settings.accountAttemptsPerNetwork)
        attemptsByAccount = hourly(settings.accountAttemptsPerAccount)
        mailsByNetwork = hourly(settings.accountMailsPerNetwork)
        mailsByAccount = hourly(settings.accountMailsPerAccount)
        registrations = hourly(settings.registrationsPerNetwork)
    }

    /// Counts all uses, or those before the first one over its limit.
    ///
    /// - Throws: `rate_limited`
    mutating func charge(_ uses: [AccountUse], now: Timestamp) throws(Rejection) {
        for use in uses {
            guard let wait = consume(use, now: now) else { continue }
            throw Rejection(.rateLimited, "Too many attempts; wait a little.", retryAfterMilliseconds: wait)
        }
    }

    private mutating func consume(_ use: AccountUse, now: Timestamp) -> Int? {
        switch use {
        case .attempt(.network(let network)): attemptsByNetwork.consume(.network(network), now: now)
        case .attempt(let account): attemptsByAccount.consume(account, now: now)
        case .mail(.network(let network)): mailsByNetwork.consume(.network(network), now: now)
        case .mail(let account): mailsByAccount.consume(account, now: now)
        case .registration(let network): registrations.consume(network, now: now)
        }
    }
}

import ParleyProtocol
import ParleyRules

/// What a request about an account is charged for.
enum AccountUse: Hashable, Sendable {
    /// A password, a code or an identity token is tried.
    case attempt(AccountLimitKey)
    /// A mail is asked for.
    case mail(AccountLimitKey)
    /// An account is asked for.
    case registration(ClientNetwork)
}

extension AccountUse {
    /// Where the sender is, if it is charged for that.
    var network: ClientNetwork? {
        switch self {
        case .attempt(.network(let network)), .mail(.network(let network)), .registration(let network): network
        case .attempt, .mail: nil
        }
    }
}

/// Whose uses are counted together.
enum AccountLimitKey: Hashable, Sendable {
    case network(ClientNetwork)
    /// Whether it is known or not.
    case email(EmailAddress)
    case user(UserID)
}

/// The limits of requests about accounts, by network and by account.
///
/// They are in memory, like all rates: a restart empties them, and nobody outside can bring one about. What must not be
/// forgotten, the wrong attempts at a code, is in the database.
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

    /// Counts all uses, or those before the first that is over its limit.
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

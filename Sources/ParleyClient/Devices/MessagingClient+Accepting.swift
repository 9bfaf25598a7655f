import ParleyCrypto
import ParleyProtocol

// What people compare, and what they accept: exactly what they were shown.

extension MessagingClient {
    /// The number that two people compare to know that nobody sits between them, and the keys that it was made of: the
    /// other's keys as they are listed now, accepted or not. The same on both sides.
    ///
    /// - Throws: ``ClientError``; without a connection it is made from what is known.
    public func safetyNumber(with user: UserID) async throws(ClientError) -> ShownNumber {
        for each in [user, device.user] { try await context.keyExchange.freshen(each) }
        return try context.keyComparison.number(with: user)
    }

    /// Whether the person has compared the account key that this user is known by.
    public func isVerified(_ user: UserID) -> Bool { context.keyring.book.isVerified(user) }

    /// Whether there is anything of a user's keys to accept. Until it is accepted, nothing is sealed with it.
    public func isPending(_ user: UserID) -> Bool { context.keyring.book.isPending(user) }

    /// Trusts exactly the keys that were shown. What waited is sent, and what could not be opened is given out again.
    ///
    /// - Throws: ``ClientError/notAccepted(_:)`` where other keys are listed by now: nothing is accepted then.
    /// - Returns: whether anything was to be accepted.
    @discardableResult
    public func acceptKeys(_ shown: ShownKeys) throws(ClientError) -> Bool { try context.keyComparison.accept(shown) }

    /// Trusts the keys that are listed of a user if they are those that the person has compared. Nothing is fetched: what
    /// was listed last counts.
    ///
    /// - Parameter compared: the sixty digits, or as many of the first groups as show the other's keys
    ///   (``SafetyNumber/compare(digits:)``); or the code of the other's screen (``SafetyNumber/code``).
    /// - Throws: ``ClientError/notAccepted(_:)``, ``ClientError/noKeys(_:)``.
    /// - Returns: whether anything was to be accepted.
    @discardableResult
    public func acceptKeys(of user: UserID, matching compared: String) throws(ClientError) -> Bool {
        context.keyExchange.refresh()
        let shown = try context.keyComparison.number(with: user)
        if let failure = shown.mismatch(with: compared) { throw .notAccepted(failure) }
        return try context.keyComparison.accept(shown.shown)
    }

    /// Compares the code of the other person's screen with the keys that are listed. If they are the same they are
    /// accepted, and the user counts as verified until another account key of theirs is accepted. A user without an account
    /// key is not remembered as verified.
    ///
    /// - Throws: ``ClientError/noKeys(_:)``; ``ClientError/notAccepted(_:)``, should other keys be listed meanwhile.
    public func verify(_ user: UserID, code: String) throws(ClientError) -> SafetyNumberComparison {
        try context.keyComparison.verify(user, code: code)
    }
}

/// What two people compare, and what is trusted because of it.
struct KeyComparison {
    let context: ClientContext

    func number(with user: UserID) throws(ClientError) -> ShownNumber {
        guard let shown = context.keyring.book.presented(of: user),
            let number = SafetyNumber(context.device.user, ownKeys, with: user, shown.keys.compared)
        else { throw .noKeys(user) }
        return ShownNumber(number: number, shown: shown, isAccepted: !context.keyring.book.isPending(user))
    }

    /// - Returns: whether anything was to be accepted.
    func accept(_ shown: ShownKeys) throws(ClientError) -> Bool {
        try refuseOwnAccount(shown)
        context.keyExchange.refresh()
        let isPending = context.keyring.book.isPending(shown.user)
        try context.keyExchange.carryOut(.accept(shown))
        return isPending
    }

    func verify(_ user: UserID, code: String) throws(ClientError) -> SafetyNumberComparison {
        context.keyExchange.refresh()
        let shown = try number(with: user)
        let comparison = shown.number.compare(code)
        guard comparison == .match else { return comparison }
        try refuseOwnAccount(shown.shown)
        try context.keyExchange.carryOut(.verify(shown.shown))
        return comparison
    }

    /// A device that holds the account key of its user knows better than any list.
    private func refuseOwnAccount(_ shown: ShownKeys) throws(ClientError) {
        guard shown.user == context.device.user, let account = context.keyring.own.accountKey,
            shown.keys != .account(account)
        else { return }
        throw .notAccepted(.ownAccount)
    }

    /// What others see of this user.
    private var ownKeys: SafetyNumber.Keys {
        let own = context.keyring.own
        if let account = own.standing.establishedKey { return .account(account) }
        switch context.keyring.book.presented(of: context.device.user)?.keys {
        case .account(let account): return .account(account)
        case .devices(let others): return .devices(others.values + [own.identityKey])
        case nil: return .devices([own.identityKey])
        }
    }
}

extension ClientContext {
    var keyComparison: KeyComparison { KeyComparison(context: self) }
}

extension ShownKeys.Keys {
    fileprivate var compared: SafetyNumber.Keys {
        switch self {
        case .account(let account): .account(account)
        case .devices(let devices): .devices(Array(devices.values))
        }
    }
}

extension ShownNumber {
    /// Why what somebody has compared is not this number; `nil` if it is.
    fileprivate func mismatch(with compared: String) -> KeyAcceptanceError? {
        switch number.compare(digits: compared) {
        case .match: return nil
        case .mismatch: return .mismatch(shown.user)
        case .tooShort(let groups): return .tooShort(groups: groups)
        case .unreadable: break
        }
        switch number.compare(compared) {
        case .match: return nil
        case .mismatch: return .mismatch(shown.user)
        case .otherUsers: return .otherUsers
        case .unreadable: return .unreadable
        case .newerVersion: return .newerVersion
        }
    }
}

import ParleyCrypto
import ParleyProtocol

/// Safety numbers, and the acceptance of keys.
struct KeyComparison {
    let keyring: Keyring, device: DeviceAddress, keyExchange: KeyExchange

    func number(with user: UserID) throws(ClientError) -> ShownNumber {
        guard let shown = keyring.book.presented(of: user),
            let number = SafetyNumber(device.user, ownKeys, with: user, shown.keys.compared)
        else { throw .noKeys(user) }
        return ShownNumber(number: number, shown: shown, isAccepted: !keyring.book.isPending(user))
    }

    /// As ``MessagingClient/Keys/accept(of:matching:)``.
    func accept(of user: UserID, matching compared: String) throws(ClientError) -> Bool {
        keyExchange.refresh()
        let shown = try number(with: user)
        if let failure = shown.mismatch(with: compared) { throw .notAccepted(failure) }
        return try accept(shown.shown)
    }

    /// - Returns: whether there was anything to accept.
    func accept(_ shown: ShownKeys) throws(ClientError) -> Bool {
        try refuseOwnAccount(shown)
        keyExchange.refresh()
        let isPending = keyring.book.isPending(shown.user)
        try keyExchange.accept(shown)
        return isPending
    }

    func verify(_ user: UserID, code: String) throws(ClientError) -> SafetyNumberComparison {
        keyExchange.refresh()
        let shown = try number(with: user)
        let comparison = shown.number.compare(code)
        guard comparison == .match else { return comparison }
        try refuseOwnAccount(shown.shown)
        try keyExchange.accept(shown.shown, isCompared: true)
        return comparison
    }

    /// A device with its user's account key needs no list to know it.
    private func refuseOwnAccount(_ shown: ShownKeys) throws(ClientError) {
        guard shown.user == device.user, let account = keyring.own.accountKey,
            shown.keys != .account(account)
        else { return }
        throw .notAccepted(.ownAccount)
    }

    /// This user's keys as others see them.
    private var ownKeys: SafetyNumber.Keys {
        let own = keyring.own
        if let account = own.status.establishedKey { return .account(account) }
        switch keyring.book.presented(of: device.user)?.keys {
        case .account(let account): return .account(account)
        case .devices(let others): return .devices(others.values + [own.identityKey])
        case nil: return .devices([own.identityKey])
        }
    }
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
    /// Why a compared text is not this number; `nil` if it is.
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

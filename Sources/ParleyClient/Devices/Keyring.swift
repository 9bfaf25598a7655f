import ParleyCrypto
import ParleyProtocol

/// A client's own keys, and other users' keys as far as they are trusted (protocol §6).
///
/// An owner of state (decision 0067): it does no I/O beyond its key files. Changes come back as notices, which
/// ``KeyExchange`` emits. Trust is on disk before it counts.
final class Keyring {
    private(set) var own: DeviceKeySet
    private var peers: PeerKeys
    private var cipher: MessageCipher
    /// The age of known keys, and the pending fetches.
    var freshness = KeyFreshness()
    /// The state of this device's linking by another device.
    var link = LinkProgress.none
    private var fetches: Set<UserID> = []
    private var fetchCounts: [UserID: Int] = [:]
    /// Notices on this device's own state that were reported already.
    private var disclosed: Set<PeerKeyNotice> = []

    /// - Parameter peers: other users' keys, and the user's own account key.
    init(own: DeviceKeySet, peers: PeerKeys) {
        self.own = own
        self.peers = peers
        cipher = MessageCipher(own)
    }

    /// The trusted keys of others, as of the last change or ``refresh()``.
    var book: PeerKeyBook { peers.book }

    // MARK: Its own

    /// Replaces this device's keys, changed here or by another process of the device.
    func replaceOwn(_ keys: DeviceKeySet) {
        own = keys
        cipher = MessageCipher(keys)
    }

    /// - Returns: whether a notice about this device is new.
    func disclose(_ notice: PeerKeyNotice) -> Bool { disclosed.insert(notice).inserted }

    // MARK: Others'

    /// Merges changes by another process of the device.
    func refresh() throws(PeerKeysError) -> [PeerKeyNotice] { try peers.refresh() }

    /// Merges the gateway's list of a user's keys.
    ///
    /// - Returns: the changes, and whether the user was unknown.
    func merge(
        _ listing: UserKeys, now: ContinuousClock.Instant
    ) throws(PeerKeysError) -> (notices: [PeerKeyNotice], isFirst: Bool) {
        fetchCounts[listing.user, default: 0] += 1
        freshness.recordFetch(of: listing.user, now: now)
        let isFirst = !book.isKnown(listing.user)
        return (try peers.update(with: listing), isFirst)
    }

    /// Pins the account key that this device holds for its own user.
    func adoptOwn(_ account: AccountKey) throws(PeerKeysError) -> [PeerKeyNotice] { try peers.adoptOwn(account) }

    /// As ``PeerKeys/accept(_:isCompared:)``.
    func accept(
        _ shown: ShownKeys, isCompared: Bool = false
    ) throws(PeerKeysError) -> (notices: [PeerKeyNotice], refusal: KeyAcceptanceError?) {
        try peers.accept(shown, isCompared: isCompared)
    }

    // MARK: One fetch of a user's keys at a time

    /// - Returns: whether the caller has to fetch the keys, and then call ``endFetch(of:)``; `false` if another task
    ///   does.
    func beginFetch(of user: UserID) -> Bool { fetches.insert(user).inserted }

    func endFetch(of user: UserID) { fetches.remove(user) }

    func isFetching(_ user: UserID) -> Bool { fetches.contains(user) }

    /// The number of fetches of a user's keys: after a wait, it shows whether one has succeeded.
    func fetchCount(of user: UserID) -> Int { fetchCounts[user] ?? 0 }

    // MARK: Sealing

    /// The devices that a draft is sealed for, and those that are left out.
    func recipients(of draft: Draft, among members: [UserID]) -> PeerRecipients {
        var recipients = book.recipients(of: members, besides: own.device)
        // Without the account key, this device has only the gateway's word about the user's other devices.
        if own.accountKey == nil { recipients.leaveOut(own.device.user) }
        if !draft.onlyFor.isEmpty {
            for user in Set(recipients.sealed.map(\.device.user)).subtracting(draft.onlyFor) {
                recipients.leaveOut(user)
            }
        }
        return recipients
    }

    func seal(
        _ content: [UInt8], _ header: MessageHeader, for recipients: Recipients
    ) throws(SealingError) -> SealedMessage {
        try cipher.seal(content, header, for: recipients)
    }

    // MARK: Opening

    /// The content of a record: a JSON object.
    ///
    /// - Parameter members: of the conversation; this device's own records open by any recipient's key.
    func open(_ record: MessageRecord, among members: [UserID]) -> Result<[UInt8], OpeningError> {
        do throws(OpeningError) {
            if record.isLegacy { return .success(try openLegacy(record)) }
            let (message, header) = try record.sealed()
            return .success(try cipher.open(message, header, with: knownKeys(for: record, among: members)))
        } catch {
            return .failure(reason(of: error, record.sender))
        }
    }

    private func openLegacy(_ record: MessageRecord) throws(OpeningError) -> [UInt8] {
        let (content, nonce) = try record.legacyCiphertext(for: own.device.user)
        let keys = book.knownKeys(of: record.sender)
        return record.legacyContent(try cipher.openLegacy(content, nonce: nonce, with: keys))
    }

    /// Keys that are not accepted were not tried: a better reason.
    private func reason(of failure: OpeningError, _ sender: DeviceAddress) -> OpeningError {
        guard sender != own.device, failure == .notAuthentic || failure == .senderKeysUnknown else { return failure }
        if book.isHeld(sender) { return .senderKeyChanged }
        switch book.fault(of: sender) {
        case .uncertified?, .outdated?: return .senderNotCertified
        case .weakKey?, .badSignature?, .listedTwice?, .tooManyDevices?, nil: return failure
        }
    }

    private func knownKeys(for record: MessageRecord, among members: [UserID]) -> KnownKeys {
        guard record.sender == own.device else { return .ofSender(book.knownKeys(of: record.sender)) }
        let named = record.recipientKeys?.value?.map(\.address)
        var keys: [DeviceAddress: [IdentityKey]] = [:]
        for address in named ?? book.recipients(of: members, besides: own.device).sealed.map(\.device) {
            keys[address] = book.knownKeys(of: address)
        }
        return .ofRecipients(keys)
    }

    /// The users of whom newer keys may open a record.
    func usersWithNewerKeys(
        for record: MessageRecord, among members: [UserID], now: ContinuousClock.Instant
    ) -> [UserID] {
        if record.sender == own.device { return members.filter { !book.isKnown($0) } }
        if book.knownKeys(of: record.sender).isEmpty { return [record.sender.user] }
        switch open(record, among: members) {
        case .failure(.notAuthentic), .failure(.senderNotCertified): return [record.sender.user]
        case .failure(.senderKeyChanged):
            // The listing may be outdated.
            return freshness.isFresh(record.sender.user, now: now) ? [] : [record.sender.user]
        case .success, .failure: return []
        }
    }
}

extension MessageCipher {
    init(_ keys: DeviceKeySet) {
        self.init(device: keys.device, current: keys.identity, retired: keys.retired.map(\.keys))
    }
}

extension PeerKeyBook {
    /// The user whose keys must be accepted before anything is sent to these members, if any.
    ///
    /// A group only waits if nobody else would get the message: members with held keys are left out.
    func heldUser(among members: [UserID], isDirect: Bool) -> UserID? {
        let others = members.filter { $0 != owner.user }
        guard let held = others.sorted().first(where: isHeld) else { return nil }
        if isDirect { return held }
        return recipients(of: others, besides: owner).sealed.isEmpty ? held : nil
    }

    func lack(of recipients: PeerRecipients) -> SendError {
        let others = recipients.leftOut.filter { $0.device.user != owner.user }
        guard !others.isEmpty else { return .noRecipientKeys }
        let isWeak = others.allSatisfy { other in
            switch fault(of: other.device) {
            case .weakKey?, .badSignature?, .listedTwice?: true
            case .uncertified?, .outdated?, .tooManyDevices?, nil: false
            }
        }
        return isWeak ? .weakRecipientKey : .uncertifiedRecipients
    }
}

/// The age of users' keys. They are fetched before the first send on each connection, again after a minute, and, at a
/// limited rate, when a message cannot be opened.
struct KeyFreshness {
    private var fetched: [UserID: ContinuousClock.Instant] = [:]
    private var allowances: [UserID: Allowance] = [:]
    /// Users whose fetch was over the limit.
    private var postponed: Set<UserID> = []

    /// How long keys count as fresh.
    static let lifetime: Duration = .seconds(60)
    /// The fetches of one user's keys in a row because of unopened messages: a new device that writes at once is read
    /// at once.
    static let burst = 5
    /// The time until one more is allowed.
    static let refillInterval: Duration = .seconds(10)
    static let capacity = 4096

    private struct Allowance {
        var left = KeyFreshness.burst
        var since: ContinuousClock.Instant

        mutating func refill(now: ContinuousClock.Instant) {
            while left < KeyFreshness.burst, now >= since + KeyFreshness.refillInterval {
                left += 1
                since += KeyFreshness.refillInterval
            }
            if left == KeyFreshness.burst { since = now }
        }
    }

    func isFresh(_ user: UserID, now: ContinuousClock.Instant) -> Bool {
        fetched[user].map { now < $0 + KeyFreshness.lifetime } ?? false
    }

    mutating func recordFetch(of user: UserID, now: ContinuousClock.Instant) {
        makeRoom(now: now)
        fetched[user] = now
    }

    /// The gateway's list has changed.
    mutating func markStale(_ user: UserID) { fetched[user] = nil }

    /// Requests a fetch even if nothing is sent: ``claimDueFetch(now:)`` says when.
    mutating func requestFetch(of user: UserID) {
        fetched[user] = nil
        postponed.insert(user)
    }

    /// Claims a fetch because of an unopened message.
    ///
    /// - Returns: whether it is within the limit; if not, it is due later.
    mutating func claimFetch(_ user: UserID, now: ContinuousClock.Instant) -> Bool {
        makeRoom(now: now)
        var allowance = allowances[user] ?? Allowance(since: now)
        allowance.refill(now: now)
        guard allowance.left > 0 else {
            postponed.insert(user)
            return false
        }
        postponed.remove(user)
        allowance.left -= 1
        allowances[user] = allowance
        return true
    }

    /// Claims a postponed fetch that is due.
    mutating func claimDueFetch(now: ContinuousClock.Instant) -> UserID? {
        for user in postponed where claimFetch(user, now: now) { return user }
        return nil
    }

    var nextFetchTime: ContinuousClock.Instant? {
        postponed.compactMap { allowances[$0]?.since }.min().map { $0 + KeyFreshness.refillInterval }
    }

    /// On a new connection no key is fresh.
    mutating func reset() { self = KeyFreshness() }

    private mutating func makeRoom(now: ContinuousClock.Instant) {
        guard fetched.count + allowances.count >= KeyFreshness.capacity else { return }
        fetched = fetched.filter { now < $0.value + KeyFreshness.lifetime }
        allowances = allowances.filter { now < $0.value.since + KeyFreshness.refillInterval }
        if fetched.count + allowances.count >= KeyFreshness.capacity { reset() }
    }
}

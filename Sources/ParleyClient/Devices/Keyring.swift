import ParleyCrypto
import ParleyProtocol

/// The keys that a client works with: its own, and others' as far as they are trusted (protocol §6).
///
/// One of the four owners of a client's state (decision 0045). It does no I/O: what the gateway lists goes
/// in, and what has become of keys comes out as notices, which ``KeyExchange`` emits. What is trusted is on the disk
/// before it counts.
final class Keyring {
    /// This device's own keys.
    private(set) var own: DeviceKeySet
    private var peers: PeerKeys
    private var cipher: MessageCipher
    /// How old what is known of others is, and whose keys are to be fetched.
    var freshness = KeyFreshness()
    /// How far this device is with being linked by another of its user's.
    var link = LinkProgress.none
    private var fetches: Set<UserID> = []
    private var fetchCounts: [UserID: Int] = [:]
    /// Notices on this device's own state that were reported already.
    private var disclosed: Set<PeerKeyNotice> = []

    /// - Parameter peers: what this device knows of others' keys, its own user's account key among them.
    init(own: DeviceKeySet, peers: PeerKeys) {
        self.own = own
        self.peers = peers
        cipher = MessageCipher(own)
    }

    /// What is trusted of others, as of the last change or ``refresh()``.
    var book: PeerKeyBook { peers.book }

    // MARK: Its own

    /// Uses other keys from now on: they were changed here or by another process of the device.
    func replaceOwn(_ keys: DeviceKeySet) {
        own = keys
        cipher = MessageCipher(keys)
    }

    /// - Returns: whether a notice on this device's own state was not reported before.
    func disclose(_ notice: PeerKeyNotice) -> Bool { disclosed.insert(notice).inserted }

    // MARK: Others'

    /// Merges what another process of the device has changed.
    func refresh() throws(PeerKeysError) -> [PeerKeyNotice] { try peers.refresh() }

    /// Merges what the gateway lists of a user.
    ///
    /// - Returns: what has become of their keys, and whether nothing of them was known before.
    func merge(
        _ listing: UserKeys, now: ContinuousClock.Instant
    ) throws(PeerKeysError) -> (notices: [PeerKeyNotice], isFirst: Bool) {
        fetchCounts[listing.user, default: 0] += 1
        freshness.recordFetch(of: listing.user, now: now)
        let isFirst = !book.isKnown(listing.user)
        return (try peers.update(with: listing), isFirst)
    }

    /// Knows its own user by the account key that this device holds.
    func adoptOwn(_ account: AccountKey) throws(PeerKeysError) -> [PeerKeyNotice] { try peers.adoptOwn(account) }

    /// As ``PeerKeys/accept(_:isCompared:)``.
    func accept(
        _ shown: ShownKeys, isCompared: Bool = false
    ) throws(PeerKeysError) -> (notices: [PeerKeyNotice], refusal: KeyAcceptanceError?) {
        try peers.accept(shown, isCompared: isCompared)
    }

    // MARK: One fetch of a user's keys at a time

    /// - Returns: whether the caller is to fetch: not if somebody else does. It ends with ``endFetch(of:)``.
    func beginFetch(of user: UserID) -> Bool { fetches.insert(user).inserted }

    func endFetch(of user: UserID) { fetches.remove(user) }

    func isFetching(_ user: UserID) -> Bool { fetches.contains(user) }

    /// How often a user's keys were fetched: whether that is another number than before a wait says how the wait ended.
    func fetchCount(of user: UserID) -> Int { fetchCounts[user] ?? 0 }

    // MARK: Sealing

    /// The devices of a conversation's members that a draft is for.
    func recipients(of draft: Draft, among members: [UserID]) -> PeerRecipients {
        var recipients = book.recipients(of: members, besides: own.device)
        // Without the account key a device knows of its own user's others only what the gateway says.
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

    /// What was sealed in a record: a JSON object.
    ///
    /// - Parameter members: of the record's conversation; this device's own records are opened by any recipient's key.
    func open(_ record: MessageRecord, among members: [UserID]) -> Result<[UInt8], OpeningError> {
        do throws(OpeningError) {
            let (message, header) = try record.sealed()
            return .success(try cipher.open(message, header, with: knownKeys(for: record, among: members)))
        } catch {
            return .failure(reason(of: error, record.sender))
        }
    }

    /// With keys that are not accepted it was not tried: that is the better reason.
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

    /// Whose keys may be others than those with which a record could not be opened.
    func usersWithNewerKeys(
        for record: MessageRecord, among members: [UserID], now: ContinuousClock.Instant
    ) -> [UserID] {
        if record.sender == own.device { return members.filter { !book.isKnown($0) } }
        if book.knownKeys(of: record.sender).isEmpty { return [record.sender.user] }
        switch open(record, among: members) {
        case .failure(.notAuthentic), .failure(.senderNotCertified): return [record.sender.user]
        case .failure(.senderKeyChanged):
            // As of a listing that may be over by now.
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
    /// The user whose keys are to be accepted before anything is sent to these members; `nil` where nothing waits for
    /// that.
    ///
    /// A group waits for nobody as long as anybody else would get what is sent: those who are held are left out.
    func heldUser(among members: [UserID], isDirect: Bool) -> UserID? {
        let others = members.filter { $0 != owner.user }
        guard let held = others.sorted().first(where: isHeld) else { return nil }
        if isDirect { return held }
        return recipients(of: others, besides: owner).sealed.isEmpty ? held : nil
    }

    /// Why there is nobody but the own user to seal for.
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

/// How old what is known of users' keys is: they are fetched before the first send on each connection, and again when
/// that is a minute ago; and, not too often, because something of theirs cannot be opened.
struct KeyFreshness {
    private var fetched: [UserID: ContinuousClock.Instant] = [:]
    private var guesses: [UserID: Allowance] = [:]
    /// Those whose keys were wanted too early.
    private var postponed: Set<UserID> = []

    /// How long keys count as fresh.
    static let lifetime: Duration = .seconds(60)
    /// How often in a row the keys of one user may be asked for because messages of theirs cannot be opened: a new
    /// device that writes at once is read at once.
    static let mostGuesses = 5
    /// How long it takes until one more is allowed.
    static let betweenGuesses: Duration = .seconds(10)
    static let capacity = 4096

    private struct Allowance {
        var left = KeyFreshness.mostGuesses
        /// When the last one was given back.
        var since: ContinuousClock.Instant

        mutating func refill(now: ContinuousClock.Instant) {
            while left < KeyFreshness.mostGuesses, now >= since + KeyFreshness.betweenGuesses {
                left += 1
                since += KeyFreshness.betweenGuesses
            }
            if left == KeyFreshness.mostGuesses { since = now }
        }
    }

    func isFresh(_ user: UserID, now: ContinuousClock.Instant) -> Bool {
        fetched[user].map { now < $0 + KeyFreshness.lifetime } ?? false
    }

    mutating func recordFetch(of user: UserID, now: ContinuousClock.Instant) {
        makeRoom(now: now)
        fetched[user] = now
    }

    /// The gateway said that the device list is another.
    mutating func markStale(_ user: UserID) { fetched[user] = nil }

    /// They are to be fetched soon, whether anything is sent or not: ``claimDueGuess(now:)`` says when.
    mutating func requestFetch(of user: UserID) {
        fetched[user] = nil
        postponed.insert(user)
    }

    /// Asks whether keys may be fetched because something cannot be opened.
    ///
    /// - Returns: whether they may: it counts as fetched then, and if not, they will be due later.
    mutating func claimGuess(_ user: UserID, now: ContinuousClock.Instant) -> Bool {
        makeRoom(now: now)
        var allowance = guesses[user] ?? Allowance(since: now)
        allowance.refill(now: now)
        guard allowance.left > 0 else {
            postponed.insert(user)
            return false
        }
        postponed.remove(user)
        allowance.left -= 1
        guesses[user] = allowance
        return true
    }

    /// A user whose keys could not be asked for earlier and can be now; it counts as asked.
    mutating func claimDueGuess(now: ContinuousClock.Instant) -> UserID? {
        for user in postponed where claimGuess(user, now: now) { return user }
        return nil
    }

    var nextGuess: ContinuousClock.Instant? {
        postponed.compactMap { guesses[$0]?.since }.min().map { $0 + KeyFreshness.betweenGuesses }
    }

    /// The next connection begins with nothing fresh.
    mutating func reset() { self = KeyFreshness() }

    private mutating func makeRoom(now: ContinuousClock.Instant) {
        guard fetched.count + guesses.count >= KeyFreshness.capacity else { return }
        fetched = fetched.filter { now < $0.value + KeyFreshness.lifetime }
        guesses = guesses.filter { now < $0.value.since + KeyFreshness.betweenGuesses }
        if fetched.count + guesses.count >= KeyFreshness.capacity { reset() }
    }
}

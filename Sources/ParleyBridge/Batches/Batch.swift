import ParleyProtocol
import ParleyRules
import ParleyStore

/// A transaction under way: its facts, its pending writes, and its effects after the COMMIT.
///
/// Decisions see it as a `DecisionContext`, which can refuse and not write, and are carried out in an `ApplyContext`,
/// which can write and not refuse. Frequent writes are pending until the database is read, or the batch ends: see
/// `flush`. Confined to the writer's thread and to the transaction.
final class Batch {
    let environment: BatchEnvironment
    let moment: Moment
    var effects = Effects()
    var afterCommit = AfterCommit()
    /// Of the request that is carried out.
    var requestIndex = 0
    /// To be decided when everything else is.
    var notifications = PendingNotifications()
    private(set) var progressChanges: Set<ProgressChange> = []
    /// Uses of limits, which count when the transaction is committed.
    private(set) var limitUses = LimitUses()
    /// Members of the gathered conversations who are connected to other gateways.
    private(set) var connectedElsewhere: Set<UserID> = []

    private let transaction: WriteTransaction
    private var known: KnownFacts
    /// The facts for requests that are decided together: their keys, and those that were found.
    private var asked = FactKeys()
    private var gathered = GatheredFacts()
    private var written = WrittenFacts()

    init(
        _ transaction: WriteTransaction, _ environment: BatchEnvironment, cache: FactCache, at moment: Moment
    ) {
        self.transaction = transaction
        self.environment = environment
        known = KnownFacts(cache)
        self.moment = moment
    }

    var now: Timestamp { moment.now }
    var steady: Timestamp { moment.steady }
    var clockOffset: Int64 { moment.clockOffset }
    /// The time by which limits are counted.
    var sharedTime: Timestamp { environment.cells?.time ?? steady }

    /// The transaction is committed: what it has read, changed and counted is known from now on.
    func recordCommit(keepingFacts: Bool) {
        environment.storage.recordCommit()
        environment.limits.recordStored(limitUses, now: sharedTime)
        if keepingFacts { known.updateCache() }
    }

    // MARK: Gathering

    /// Reads the facts that these requests declare, at once.
    func gather(_ requests: some Sequence<IncomingCommand>) throws(StoreError) {
        var declared = DeclaredFacts()
        for request in requests {
            declared.devices.append(request.sender)
            request.request.declareFacts(for: request.sender, in: &declared)
        }
        written = WrittenFacts()
        asked = unknown(declared)
        gathered = try facts().gather(asked)
        for device in gathered.devices.values { known.set(device) }
        for conversation in gathered.conversations.values { known.set(conversation) }
        for (user, keys) in gathered.keys { known.set(try KeyedDevice.all(keys, of: user), of: user) }
        let storage = environment.storage
        for user in asked.storing where storage.ledger.needsLoading(user) {
            storage.ledger.load(user, stored: gathered.storedBytes[user] ?? 0)
        }
        try findConnectedElsewhere(declared.sealedFor)
    }

    /// Where so many members are not connected here, somebody is likely to be connected nowhere.
    private static let mostLookedFor = 16

    /// Looks for the members to whom another gateway brings the message, so that they need no push.
    private func findConnectedElsewhere(_ conversations: [ConversationID]) throws(StoreError) {
        guard let cells = environment.cells, cells.hasNeighbours else { return }
        var away: Set<UserID> = []
        for id in Set(conversations) {
            guard let users = known.conversation(id)?.facts.users else { continue }
            let others = Set(users).subtracting(environment.push.people.connected(among: users))
            if others.count <= Batch.mostLookedFor { away.formUnion(others) }
        }
        guard !away.isEmpty else { return }
        connectedElsewhere = try cells.connected(among: Array(away), elsewhere: true, in: transaction.facts)
    }

    /// The keys of the declared facts, without the known ones.
    private func unknown(_ declared: DeclaredFacts) -> FactKeys {
        var keys = FactKeys()
        for address in declared.devices where known.device(address) == nil { keys.devices.insert(address) }
        for id in declared.conversations where known.conversation(id) == nil { keys.conversations.insert(id) }
        for id in declared.sealedFor {
            guard let facts = known.conversation(id)?.facts else {
                keys.conversations.insert(id)
                keys.sealedFor.insert(id)
                continue
            }
            for member in facts.members where known.keyedDevices(of: member.user) == nil {
                keys.keyHolders.insert(member.user)
            }
        }
        for id in declared.disclosedIn {
            guard let facts = known.conversation(id)?.facts else {
                keys.conversations.insert(id)
                keys.disclosedIn.insert(id)
                continue
            }
            if facts.type == .direct { keys.disclosing.formUnion(facts.users) }
        }
        keys.disclosing.formUnion(declared.disclosing)
        keys.records.reserveCapacity(declared.records.count)
        keys.records.formUnion(declared.records)
        keys.targets.formUnion(declared.targets)
        keys.receipts.formUnion(declared.receipts)
        for user in declared.storing where environment.storage.ledger.needsLoading(user) { keys.storing.insert(user) }
        keys.day = environment.storage.ledger.day
        return keys
    }

    /// Drops the gathered facts, which may be stale.
    func dropGathered() {
        asked = FactKeys()
        gathered = GatheredFacts()
        written = WrittenFacts()
    }

    /// The request that is carried out is refused.
    func recordRejection(_ rejection: Rejection) {
        afterCommit.rejections.append(CommandRejection(index: requestIndex, code: rejection.code))
    }

    // MARK: Reading

    /// The database as the transaction sees it, with everything that was pending written.
    func facts() throws(StoreError) -> Snapshot {
        try flush()
        return transaction.facts
    }

    func device(_ address: DeviceAddress) throws(StoreError) -> DeviceState? {
        if let device = known.device(address) { return device }
        guard !asked.devices.contains(address), let device = try facts().devices.device(address) else { return nil }
        known.set(device)
        return device
    }

    func conversation(_ id: ConversationID) throws(StoreError) -> ConversationState? {
        if let conversation = known.conversation(id) { return conversation }
        guard !asked.conversations.contains(id), let conversation = try facts().conversations.withContact(id) else {
            return nil
        }
        known.set(conversation)
        return conversation
    }

    /// The devices of a user that have published keys.
    func keyedDevices(of user: UserID) throws(StoreError) -> [KeyedDevice] {
        if let devices = known.keyedDevices(of: user) { return devices }
        let devices = try KeyedDevice.all(facts().devices.keys(of: user), of: user)
        known.set(devices, of: user)
        return devices
    }

    func location(of id: MessageID) throws(StoreError) -> RecordLocation? {
        if let location = written.locations[id] { return location }
        return asked.records.contains(id) ? gathered.records[id] : try facts().records.location(of: id)
    }

    /// A record that is to be changed, with its changes so far.
    func target(_ id: MessageID) throws(StoreError) -> ChangeTarget? {
        asked.targets.contains(id) && !written.touches(id) ? gathered.targets[id] : try facts().records.target(id)
    }

    func receipts(of reader: DeviceAddress, in conversation: ConversationID) throws(StoreError) -> ReceiptState? {
        let receipt = FactKeys.Receipt(conversation: conversation, reader: reader)
        let state =
            asked.receipts.contains(receipt)
            ? gathered.receipts[receipt] : try facts().receipts.state(of: reader, in: conversation)
        return state.map { written.receipts(since: $0, receipt) }
    }

    func disclosure(of user: UserID) throws(StoreError) -> DisclosureSettings? {
        if let settings = gathered.disclosures[user] { return settings }
        return asked.disclosing.contains(user) ? nil : try facts().users.disclosure(of: user)
    }

    /// Loads how much a user has stored today, if it is not known.
    func loadStorage(of user: UserID) throws(StoreError) {
        let storage = environment.storage
        guard storage.ledger.needsLoading(user) else { return }
        storage.ledger.load(user, stored: try facts().storedBytes.count(of: user, on: storage.ledger.day))
    }

    // MARK: Limits

    /// In how many milliseconds a user has room for so many uses of a limit; `nil` if they have it now.
    func waitToUse(_ use: LimitedUse, _ count: Int, by user: UserID) throws(StoreError) -> Int? {
        let key = LimitKey(use, of: user)
        try loadUses(of: key)
        return limitUses.wait(for: key, count, environment.limits.rate(of: use), now: sharedTime)
    }

    /// Counts uses of a limit that a user has room for.
    func countUses(_ use: LimitedUse, _ count: Int, by user: UserID) {
        limitUses.add(count, to: LimitKey(use, of: user), environment.limits.rate(of: use), now: sharedTime)
    }

    /// Reads a count, if it is not known, together with what queries have used since it was stored. No pending write
    /// changes it.
    func loadUses(of key: LimitKey) throws(StoreError) {
        guard !limitUses.isKnown(key) else { return }
        limitUses.load(
            key, stored: try transaction.facts.limitUses.fullAt(key), ofQueries: environment.limits.unstored(key),
            environment.limits.rate(of: key.use), now: sharedTime)
    }

    /// Writes the counts of bytes and uses that have changed. The last writes of a transaction: who waits for one of
    /// these rows has all others already.
    func storeCounts() throws(StoreError) {
        try environment.storage.storeDue(writable)
        for (key, count) in limitUses.changed { try transaction.limitUses.replace(key, count) }
    }

    // MARK: Writing

    /// The transaction, with all pending writes written.
    func writable() throws(StoreError) -> WriteTransaction {
        try flush()
        return transaction
    }

    /// Claims work of a duty's until the transaction ends; `false` where another gateway does it.
    func claim(_ work: SharedWork?) throws(StoreError) -> Bool {
        guard let work else { return true }
        return try transaction.claim(work)
    }

    /// Has neighbours hear of the changes of audiences.
    func shareAudience() throws(StoreError) { try effects.shareAudience(transaction) }

    /// Writes the pending writes at once.
    func flush() throws(StoreError) {
        guard let writes = effects.drainWrites() else { return }
        for conversation in try transaction.apply(writes) { known.set(conversation) }
    }

    func nextPosition() throws(StoreError) -> StreamPosition { try effects.nextPosition(transaction) }

    @discardableResult
    func publish(
        _ topic: Topic, retain: Bool = false, unread: UnreadScope? = nil, _ payload: (inout JSONWriter) -> Void
    ) throws(StoreError) -> StreamPosition {
        try effects.event(topic, retain: retain, unread: unread, transaction, payload)
    }

    /// Replaces the facts of a conversation whose change is written.
    func replace(_ conversation: ConversationState) { effects.writes.replaceLog(known.update(conversation)) }

    /// A record was appended to the log of a conversation.
    func append(_ record: MessageRecord, to conversation: ConversationState, digest: [UInt8], isWithheld: Bool) {
        effects.writes.setLog(known.update(conversation))
        written.append(record, digest: digest, isWithheld: isWithheld)
    }

    /// The watermarks of a reader were advanced.
    func advance(_ advance: ReceiptRule.Advance, _ receipt: FactKeys.Receipt) { written.advance(advance, receipt) }

    /// A change that challenges count: they are made due at the end of the transaction.
    func markProgress(_ change: ProgressChange) { progressChanges.insert(change) }

    /// A device, its keys or its token have changed: they are read again.
    func drop(_ address: DeviceAddress) { known.drop(address) }

    /// The contacts of a user have changed: they are read again.
    func dropContacts(of user: UserID) throws(StoreError) {
        try flush()
        known.dropContacts(of: user)
    }
}

/// The writer's parts that all its batches use.
struct BatchEnvironment {
    var settings: Settings
    let tokens: TokenIssuer
    let limits: UserLimits
    let storage: StorageAccounts
    let push: PushGate
    /// `nil` of a gateway that is alone.
    let cells: (any Cells)?

    /// New settings, for the batches from here on.
    mutating func apply(_ new: Settings) {
        settings = new
        limits.apply(new)
        storage.ledger.setBytesPerDay(new.storedBytesPerDay)
    }
}

import Logging
import ParleyProtocol
import ParleyRules
import ParleyStore
import Sodium

/// Carries out what changes things: a batch is one transaction, and everything that follows from it waits for the COMMIT.
///
/// Confined to the intake's thread. What it keeps in memory is a copy of what is stored, thrown away when a transaction
/// fails.
final class Writer {
    let store: Store
    let settings: Settings
    let tokens: TokenIssuer
    let counters: Counters
    var report: RecurringReport

    /// Conversations as the last transaction has left them.
    private var conversations: BoundedCache<ConversationID, ConversationState>
    /// Conversations whose log has grown in the transaction under way, which the cache might drop before its end.
    private var grownConversations: [ConversationID: ConversationState] = [:]
    /// The devices that have published keys, and the ids of these.
    var keyedDevices: BoundedCache<UserID, [KeyedDevice]>
    private var devices: BoundedCache<DeviceAddress, DeviceState>
    var tokenUses = PendingTokenUses()
    var firstMessages: RateLimiter<UserID>
    var reports: RateLimiter<UserID>
    let backups: BackupLimit
    var activity = DeviceActivity()
    var keyChanges = KeyChangeClock()
    var storage: StorageLedger
    /// The day on which what was counted on earlier days was last removed.
    var storageCleanedOn: Int?
    let strangers: StrangerLimits
    var typing: TypingBoard
    /// How far the time that it is given is ahead of the steady time, in milliseconds; see `GatewayClock`.
    var steps: Int64 = 0
    /// When the clock was last tried to be stored, if that failed.
    private var clockFailedAt: ContinuousClock.Instant?
    var expiry = ExpiryClock()
    var cleaning = CleaningClock()

    /// - Parameters:
    ///   - strangers: shared with the readers; `nil` for limits of this writer's own.
    ///   - backups: likewise.
    init(
        store: Store, settings: Settings, tokens: TokenIssuer, strangers: StrangerLimits? = nil,
        backups: BackupLimit? = nil, counters: Counters, logger: Logger
    ) {
        self.store = store
        self.settings = settings
        self.tokens = tokens
        self.counters = counters
        report = RecurringReport(logger: logger)
        conversations = BoundedCache(capacity: settings.cachedConversations)
        keyedDevices = BoundedCache(capacity: settings.cachedConversations)
        devices = BoundedCache(capacity: settings.cachedConversations)
        firstMessages = RateLimiter(Rate(burst: settings.firstMessageBurst, perHour: settings.firstMessagesPerHour))
        reports = RateLimiter(Rate(burst: settings.reportsPerHour, perHour: settings.reportsPerHour))
        self.backups = backups ?? BackupLimit(settings)
        storage = StorageLedger(bytesPerDay: settings.storedBytesPerDay)
        self.strangers = strangers ?? StrangerLimits(settings)
        typing = TypingBoard(startIntervalMilliseconds: Int64(settings.typingIntervalMilliseconds))
    }

    // MARK: A batch

    struct Outcome {
        var effects: Effects
        /// Whether what was to be written is on disk.
        let isCommitted: Bool
    }

    /// Does all of `requests`, or answers each of them why not. When this returns, what it accepted is on disk.
    ///
    /// - Parameter published: everything up to here the broker has acknowledged; noted in the same transaction.
    func carryOut(_ requests: [IncomingCommand], published: Int?, now: Timestamp) -> Outcome {
        do throws(StoreError) {
            let effects = try transaction(requests, published: published, now: now)
            counters.batches.add(1)
            report.isOver("the database can be written again")
            return Outcome(effects: effects, isCommitted: true)
        } catch {
            counters.failedBatches.add(1)
            report.add("a batch could not be committed", error)
            guard !error.isPassing, requests.count > 1 else {
                return Outcome(effects: refusing(requests, error), isCommitted: false)
            }
            // One of them hit a fault of ours: the others must not suffer for it.
            let effects = requests.reduce(into: Effects()) { effects, request in
                effects.append(carryOut([request], published: nil, now: now).effects)
            }
            return Outcome(effects: effects, isCommitted: false)
        }
    }

    private func transaction(
        _ requests: [IncomingCommand], published: Int?, now: Timestamp
    ) throws(StoreError) -> Effects {
        do throws(StoreError) {
            storage.begin(at: steady(now))
            var seen: [DeviceAddress] = []
            let effects = try store.write { transaction in
                var effects = Effects()
                for request in requests { try answer(request, transaction, &effects, now: now) }
                try writeBackConversations(transaction)
                try tellKeyChanges(transaction, &effects, now: now)
                try storeCharges(transaction)
                seen = try storeActivity(transaction)
                if let published { try transaction.advancePublished(through: published) }
                return effects
            }
            storage.committed()
            activity.written(seen)
            return effects
        } catch {
            forgetEverything()
            keyChanges.failed(now: steady(now))
            activity.failed(now: now)
            throw error
        }
    }

    private func refusing(_ requests: [IncomingCommand], _ error: StoreError) -> Effects {
        var effects = Effects()
        for request in requests {
            effects.outgoing.reject(request.route, error.isPassing ? .unavailable : .internalFault)
        }
        return effects
    }

    private func writeBackConversations(_ transaction: WriteTransaction) throws {
        for (id, var conversation) in grownConversations {
            try transaction.updateLog(&conversation)
            conversations[id] = conversation
        }
        grownConversations.removeAll(keepingCapacity: true)
    }

    private func forgetEverything() {
        conversations.removeAll()
        keyedDevices.removeAll()
        devices.removeAll()
        grownConversations.removeAll()
    }

    /// Stores how the clock stands, where that is not stored: at the start, and when it has followed a step.
    func storeClock(_ clock: MachineClock) {
        guard clock.isChanged, clockFailedAt.map({ ContinuousClock.now - $0 > .seconds(1) }) ?? true else { return }
        do throws(StoreError) {
            try clock.store(in: store)
            clockFailedAt = nil
        } catch {
            clockFailedAt = .now
            report.add("the clock could not be stored", error)
        }
    }

    /// The time that runs as the machine does, whatever its time of day is set to: what is to happen after an hour
    /// happens by this.
    func steady(_ now: Timestamp) -> Timestamp { now.advanced(byMilliseconds: -steps) }

    // MARK: One request

    private func answer(
        _ incoming: IncomingCommand, _ transaction: WriteTransaction, _ effects: inout Effects, now: Timestamp
    ) throws {
        do {
            try incoming.authorize(try device(incoming.sender, transaction.facts))
            activity.saw(incoming.sender, now: now)
            try incoming.request.carryOut(
                in: CommandContext(writer: self, transaction: transaction, route: incoming.route, now: now), &effects)
        } catch let rejection as Rejection {
            counters.rejected.add(1)
            effects.outgoing.reject(incoming.route, rejection)
        }
    }

    // MARK: Facts

    func device(_ address: DeviceAddress, _ facts: Snapshot) throws -> DeviceState? {
        try devices.value(address) { try facts.device(address) }
    }

    func forget(_ address: DeviceAddress) {
        devices[address] = nil
        keyedDevices[address.user] = nil
    }

    func conversation(_ id: ConversationID, _ facts: Snapshot) throws -> ConversationState? {
        if let grown = grownConversations[id] { return grown }
        return try conversations.value(id) { try facts.conversationWithContact(id) }
    }

    /// A conversation is otherwise than it was read, and that is written already.
    func note(_ conversation: ConversationState) {
        conversations[conversation.facts.id] = conversation
        if grownConversations[conversation.facts.id] != nil {
            grownConversations[conversation.facts.id] = conversation
        }
    }

    /// What is between somebody and all to whom he writes is otherwise than it was read.
    func forgetContacts(of user: UserID, _ facts: Snapshot) throws {
        conversations.removeAll { $0.contact != nil && $0.facts.member(user) != nil }
        for (id, conversation) in grownConversations where conversation.facts.member(user) != nil {
            grownConversations[id]?.contact = try facts.conversationWithContact(id)?.contact
        }
    }

    /// The log of a conversation has grown: what follows in this transaction goes on from there.
    func noteGrown(_ conversation: ConversationState) { grownConversations[conversation.facts.id] = conversation }

    /// The conversation, if the user may see it.
    func visibleConversation(_ id: ConversationID, to user: UserID, _ facts: Snapshot) throws -> ConversationState {
        try ConversationState.visible(try conversation(id, facts), to: user)
    }

    /// The devices with published keys of all members, the sending one left out, in order.
    func keyedDevices(_ members: [UserID], besides sender: DeviceAddress, _ facts: Snapshot) throws -> [KeyedDevice] {
        var keyed: [KeyedDevice] = []
        for member in members {
            let devices = try keyedDevices.value(member) { try facts.keyedDevices(of: member) } ?? []
            keyed += devices.lazy.filter { $0.address != sender }
        }
        return keyed
    }
}

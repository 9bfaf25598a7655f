import ParleyProtocol
import ParleyRules
import ParleyStore

/// Copies of what is stored as of the last committed transaction. Only the writer changes it.
final class FactCache {
    private var conversations: BoundedCache<ConversationID, ConversationState>
    private var devices: BoundedCache<DeviceAddress, DeviceState>
    private var keyedDevices: BoundedCache<UserID, [KeyedDevice]>

    /// - Parameter capacity: of each kind.
    init(capacity: Int) {
        conversations = BoundedCache(capacity: capacity)
        devices = BoundedCache(capacity: capacity)
        keyedDevices = BoundedCache(capacity: capacity)
    }

    func conversation(_ id: ConversationID) -> ConversationState? { conversations[id] }

    func device(_ address: DeviceAddress) -> DeviceState? { devices[address] }

    /// The devices of a user that have published keys, and the ids of these.
    func keyedDevices(of user: UserID) -> [KeyedDevice]? { keyedDevices[user] }

    /// Merges what a transaction has read and changed, which was committed.
    func merge(_ changes: FactChanges) {
        if !changes.recontacted.isEmpty { conversations.removeAll(where: changes.isRecontacted) }
        changes.conversations.merge(into: &conversations)
        changes.devices.merge(into: &devices)
        changes.keyedDevices.merge(into: &keyedDevices)
    }
}

/// What a transaction under way has read and changed that the cache copies.
struct FactChanges {
    var conversations = CacheOverlay<ConversationID, ConversationState>()
    var devices = CacheOverlay<DeviceAddress, DeviceState>()
    var keyedDevices = CacheOverlay<UserID, [KeyedDevice]>()
    /// Users between whom and all others something has changed that direct conversations carry.
    private(set) var recontacted: Set<UserID> = []

    /// Whether a copy from before may have an outdated contact.
    func isRecontacted(_ conversation: ConversationState) -> Bool {
        conversation.contact != nil && conversation.facts.members.contains { recontacted.contains($0.user) }
    }

    /// What is between a user and all others is to be read again.
    mutating func dropContacts(of user: UserID) {
        recontacted.insert(user)
        conversations.dropAll { $0.contact != nil && $0.facts.member(user) != nil }
    }
}

/// What a transaction under way has read and changed of a cache.
struct CacheOverlay<Key: Hashable, Value> {
    private var entries: [Key: Value] = [:]
    private var dropped: Set<Key> = []

    /// The state in the transaction, before anything is looked up in the cache.
    enum Finding {
        case here(Value)
        /// Neither here nor valid in the cache.
        case gone
        case unknown
    }

    subscript(key: Key) -> Finding {
        if let value = entries[key] { return .here(value) }
        return dropped.contains(key) ? .gone : .unknown
    }

    mutating func set(_ value: Value, for key: Key) { entries[key] = value }

    /// It is to be read again.
    mutating func drop(_ key: Key) {
        entries[key] = nil
        dropped.insert(key)
    }

    mutating func dropAll(where isStale: (Value) -> Bool) {
        for (key, value) in entries where isStale(value) { drop(key) }
    }

    func merge(into cache: inout BoundedCache<Key, Value>) {
        for key in dropped { cache[key] = nil }
        for (key, value) in entries { cache[key] = value }
    }
}

/// What a transaction under way knows without asking the database: what it has read and changed itself, and behind that
/// the writer's cache.
struct KnownFacts {
    /// For the cache, when the transaction is committed.
    private(set) var changes = FactChanges()
    private let cache: FactCache

    init(_ cache: FactCache) { self.cache = cache }

    func device(_ address: DeviceAddress) -> DeviceState? {
        switch changes.devices[address] {
        case .here(let device): device
        case .gone: nil
        case .unknown: cache.device(address)
        }
    }

    func conversation(_ id: ConversationID) -> ConversationState? {
        switch changes.conversations[id] {
        case .here(let conversation): return conversation
        case .gone: return nil
        case .unknown:
            guard let conversation = cache.conversation(id), !changes.isRecontacted(conversation) else { return nil }
            return conversation
        }
    }

    /// The devices of a user that have published keys.
    func keyedDevices(of user: UserID) -> [KeyedDevice]? {
        switch changes.keyedDevices[user] {
        case .here(let devices): devices
        case .gone: nil
        case .unknown: cache.keyedDevices(of: user)
        }
    }

    mutating func set(_ device: DeviceState) { changes.devices.set(device, for: device.address) }

    /// As it was read, or as it is stored now.
    mutating func set(_ conversation: ConversationState) {
        changes.conversations.set(conversation, for: conversation.facts.id)
    }

    mutating func set(_ devices: [KeyedDevice], of user: UserID) { changes.keyedDevices.set(devices, for: user) }

    /// Sets a conversation that a request has changed. Its log may have been written since the request has read it: how
    /// it is stored is then kept.
    ///
    /// - Returns: the conversation as it is known now.
    mutating func update(_ conversation: ConversationState) -> ConversationState {
        var conversation = conversation
        if case .here(let written) = changes.conversations[conversation.facts.id] {
            conversation.mergeStored(from: written)
        }
        set(conversation)
        return conversation
    }

    /// A device, its keys or its token have changed, and are to be read again.
    mutating func drop(_ address: DeviceAddress) {
        changes.devices.drop(address)
        changes.keyedDevices.drop(address.user)
    }

    /// What is between a user and all others has changed, and is to be read again.
    mutating func dropContacts(of user: UserID) { changes.dropContacts(of: user) }
}

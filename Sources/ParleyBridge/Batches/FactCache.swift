import ParleyProtocol
import ParleyRules
import ParleyStore

/// Copies of what is stored as of the last committed transaction. Only the writer changes it; empty among cells.
final class FactCache {
    fileprivate var conversations: BoundedCache<ConversationID, ConversationState>
    fileprivate var devices: BoundedCache<DeviceAddress, DeviceState>
    /// The devices of a user that have published keys, and the ids of these.
    fileprivate var keyedDevices: BoundedCache<UserID, [KeyedDevice]>

    /// - Parameter capacity: of each kind.
    init(capacity: Int) {
        conversations = BoundedCache(capacity: capacity)
        devices = BoundedCache(capacity: capacity)
        keyedDevices = BoundedCache(capacity: capacity)
    }
}

/// The changes of a cache by a transaction under way.
struct CacheOverlay<Key: Hashable, Value> {
    private var entries: [Key: Value] = [:]
    private var dropped: Set<Key> = []

    /// The value as the transaction has read or written it.
    subscript(key: Key) -> Value? { entries[key] }

    /// The same, or else the cached value, if that is still valid.
    func value(for key: Key, cached: @autoclosure () -> Value?) -> Value? {
        if let value = entries[key] { return value }
        return dropped.contains(key) ? nil : cached()
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

/// The facts of a transaction under way that need no query: those that it has read and changed, and behind them the
/// writer's cache.
struct KnownFacts {
    private let cache: FactCache
    private var conversations = CacheOverlay<ConversationID, ConversationState>()
    private var devices = CacheOverlay<DeviceAddress, DeviceState>()
    private var keyedDevices = CacheOverlay<UserID, [KeyedDevice]>()
    /// Users whose contacts have changed, which direct conversations carry.
    private var recontacted: Set<UserID> = []

    init(_ cache: FactCache) { self.cache = cache }

    /// The transaction is committed.
    func updateCache() {
        if !recontacted.isEmpty { cache.conversations.removeAll(where: isRecontacted) }
        conversations.merge(into: &cache.conversations)
        devices.merge(into: &cache.devices)
        keyedDevices.merge(into: &cache.keyedDevices)
    }

    /// Whether a copy from before may have an outdated contact.
    private func isRecontacted(_ conversation: ConversationState) -> Bool {
        conversation.contact != nil && conversation.facts.members.contains { recontacted.contains($0.user) }
    }

    func device(_ address: DeviceAddress) -> DeviceState? {
        devices.value(for: address, cached: cache.devices[address])
    }

    func conversation(_ id: ConversationID) -> ConversationState? {
        conversations.value(for: id, cached: cache.conversations[id].flatMap { isRecontacted($0) ? nil : $0 })
    }

    /// The devices of a user that have published keys.
    func keyedDevices(of user: UserID) -> [KeyedDevice]? {
        keyedDevices.value(for: user, cached: cache.keyedDevices[user])
    }

    mutating func set(_ device: DeviceState) { devices.set(device, for: device.address) }

    /// As it was read, or as it is stored now.
    mutating func set(_ conversation: ConversationState) { conversations.set(conversation, for: conversation.facts.id) }

    mutating func set(_ devices: [KeyedDevice], of user: UserID) { keyedDevices.set(devices, for: user) }

    /// Sets a conversation that a request has changed. Its log may have been written since the request has read it: how
    /// it is stored is then kept.
    ///
    /// - Returns: the conversation as it is known now.
    mutating func update(_ conversation: ConversationState) -> ConversationState {
        var conversation = conversation
        if let written = conversations[conversation.facts.id] { conversation.mergeStored(from: written) }
        set(conversation)
        return conversation
    }

    /// A device, its keys or its token have changed, and are to be read again.
    mutating func drop(_ address: DeviceAddress) {
        devices.drop(address)
        keyedDevices.drop(address.user)
    }

    /// The contacts of a user have changed, and are to be read again.
    mutating func dropContacts(of user: UserID) {
        recontacted.insert(user)
        conversations.dropAll { $0.contact != nil && $0.facts.member(user) != nil }
    }
}

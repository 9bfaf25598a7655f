import ParleyProtocol
import ParleyRules
import ParleyStore

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

    /// Sets a conversation that a request has changed. Its log may have been written since the request has read it: how it
    /// is stored is then kept.
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

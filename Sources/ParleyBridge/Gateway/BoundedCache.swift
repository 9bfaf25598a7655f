/// A copy of what is stored, for those asked for lately: two generations, the older dropped when the newer is full.
///
/// Holds at most `capacity` entries and costs one dictionary look-up for what is in use.
struct BoundedCache<Key: Hashable, Value> {
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]
    private let generation: Int

    init(capacity: Int) { generation = max(1, capacity / 2) }

    subscript(key: Key) -> Value? {
        mutating get {
            if let value = young[key] { return value }
            guard let value = old.removeValue(forKey: key) else { return nil }
            insert(key, value)
            return value
        }
        set {
            if let newValue {
                old[key] = nil
                insert(key, newValue)
            } else {
                young[key] = nil
                old[key] = nil
            }
        }
    }

    /// The value, loaded when it is not here. That something is not stored is not cached.
    mutating func value<Failure: Error>(
        _ key: Key, load: () throws(Failure) -> Value?
    ) throws(Failure) -> Value? {
        if let value = self[key] { return value }
        guard let value = try load() else { return nil }
        insert(key, value)
        return value
    }

    /// Removes the stale values; costs as much as there are values.
    mutating func removeAll(where isStale: (Value) -> Bool) {
        young = young.filter { !isStale($0.value) }
        old = old.filter { !isStale($0.value) }
    }

    mutating func removeAll() {
        young.removeAll()
        old.removeAll()
    }

    var count: Int { young.count + old.count }

    private mutating func insert(_ key: Key, _ value: Value) {
        if young.count >= generation, young[key] == nil {
            old = young
            young = [:]
        }
        young[key] = value
    }
}

/// A cache of recently used values, in two generations: the older is dropped when the newer is full.
///
/// Holds at most `capacity` entries and costs one dictionary look-up for an entry in use.
package struct BoundedCache<Key: Hashable, Value> {
    @usableFromInline var young: [Key: Value] = [:]
    @usableFromInline var old: [Key: Value] = [:]
    @usableFromInline let generation: Int

    @inlinable
    package init(capacity: Int) { generation = max(1, capacity / 2) }

    @inlinable
    package subscript(key: Key) -> Value? {
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

    /// Removes the stale values; costs time linear in all values.
    @inlinable
    package mutating func removeAll(where isStale: (Value) -> Bool) {
        young = young.filter { !isStale($0.value) }
        old = old.filter { !isStale($0.value) }
    }

    package var count: Int { young.count + old.count }

    @inlinable
    mutating func insert(_ key: Key, _ value: Value) {
        if young.count >= generation, young[key] == nil {
            old = young
            young = [:]
        }
        young[key] = value
    }
}

extension BoundedCache: Sendable where Key: Sendable, Value: Sendable {}

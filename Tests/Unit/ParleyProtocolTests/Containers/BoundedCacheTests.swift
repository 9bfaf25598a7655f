import ParleyProtocol
import TestSupport
import Testing

@Suite("A bounded cache")
struct BoundedCacheTests {
    @Test("it holds what was stored or nothing, and no more than its capacity", .seeded, arguments: [1, 2, 3, 16, 100])
    func model(capacity: Int) {
        var generator = Seeded(stream: UInt64(capacity))
        var cache = BoundedCache<Int, Int>(capacity: capacity)
        var stored: [Int: Int] = [:]
        for step in 0..<5000 {
            let key = generator.number(0...60)
            switch generator.number(0...9) {
            case 0...3:
                cache[key] = step
                stored[key] = step
                #expect(cache[key] == step)
            case 4:
                cache[key] = nil
                stored[key] = nil
                #expect(cache[key] == nil)
            case 5 where generator.chance(0.05):
                cache.removeAll { $0.isMultiple(of: 2) }
                stored = stored.filter { !$0.value.isMultiple(of: 2) }
            default:
                let value = cache[key]
                #expect(value == nil || value == stored[key])
            }
            #expect(cache.count <= max(2, capacity))
        }
    }

    @Test("what is in use stays, whatever else comes and goes")
    func usedStays() {
        var cache = BoundedCache<Int, String>(capacity: 10)
        cache[0] = "in use"
        for key in 1...1000 {
            cache[key] = "once"
            #expect(cache[0] == "in use")
        }
    }
}

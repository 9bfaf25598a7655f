import IdentityDoubles
import ParleyProtocol
import Testing

@testable import ParleyIdentity

@Suite("The keys of a provider that are kept")
struct KeyCacheTests {
    private let begin = ContinuousClock.now
    private let old: KeySet
    private let new: KeySet

    init() throws {
        let (one, other) = (try SigningKey.rsa("one"), try SigningKey.rsa("other", isOther: true))
        old = try #require(KeySet(parsing: Array(#"{"keys":[\#(one.jwk)]}"#.utf8)))
        new = try #require(KeySet(parsing: Array(#"{"keys":[\#(other.jwk)]}"#.utf8)))
    }

    private func at(_ seconds: Int) -> ContinuousClock.Instant { begin + .seconds(seconds) }

    private func find(_ cache: inout KeyCache, _ id: String = "one", at seconds: Int) -> String {
        switch cache.find(id, .rs256, at: at(seconds)) {
        case .key: "key"
        case .keyOfOtherAlgorithm: "other algorithm"
        case .unknown: "unknown"
        case .fetch: "fetch"
        case .wait: "wait"
        case .unavailable: "unavailable"
        }
    }

    private func save(_ cache: inout KeyCache, _ keys: KeySet?, lifetime: Int = 600, at seconds: Int) {
        cache.save(keys.map { FetchedKeys(keys: $0, lifetime: .seconds(lifetime)) }, at: at(seconds))
    }

    @Test("the first who asks fetches, others wait, and then the key is at hand until it is due")
    func first() {
        var cache = KeyCache()
        #expect(find(&cache, at: 0) == "fetch")
        #expect(find(&cache, at: 0) == "wait")
        save(&cache, old, at: 1)
        #expect(find(&cache, at: 1) == "key")
        #expect(find(&cache, at: 600) == "key")
        #expect(find(&cache, at: 601) == "fetch")
        // Also who has a key that is no longer fresh waits: it may be gone.
        #expect(find(&cache, at: 601) == "wait")
        save(&cache, new, at: 602)
        #expect(find(&cache, at: 602) == "unknown")
        #expect(find(&cache, "other", at: 602) == "key")
    }

    @Test("a provider's time counts from five minutes to a day", arguments: [(0, 300), (299, 300), (86_401, 86_400)])
    func lifetimes(given: Int, kept: Int) {
        var cache = KeyCache()
        #expect(find(&cache, at: 0) == "fetch")
        save(&cache, old, lifetime: given, at: 0)
        #expect(find(&cache, at: kept - 1) == "key")
        #expect(find(&cache, at: kept) == "fetch")
    }

    @Test("an id that is not among the keys fetches them once a minute, and holds up no other")
    func unknown() {
        var cache = KeyCache()
        #expect(find(&cache, at: 0) == "fetch")
        save(&cache, old, lifetime: 3600, at: 1)
        #expect(find(&cache, "other", at: 59) == "unknown")
        #expect(find(&cache, "other", at: 60) == "fetch")
        #expect(find(&cache, at: 60) == "key")
        #expect(find(&cache, "x", at: 60) == "wait")
        save(&cache, old, lifetime: 3600, at: 61)
        #expect(find(&cache, "other", at: 62) == "unknown")
        #expect(find(&cache, "other", at: 120) == "fetch")
        save(&cache, new, lifetime: 3600, at: 121)
        #expect(find(&cache, "other", at: 121) == "key")
        #expect(find(&cache, at: 121) == "unknown")
    }

    @Test("while a provider does not answer, its keys count a day longer, and it is asked every five seconds")
    func failures() {
        var cache = KeyCache()
        #expect(find(&cache, at: 0) == "fetch")
        save(&cache, nil, at: 1)
        #expect(find(&cache, at: 1) == "unavailable")
        #expect(find(&cache, at: 5) == "fetch")
        save(&cache, old, lifetime: 300, at: 6)
        #expect(find(&cache, at: 306) == "fetch")
        save(&cache, nil, at: 307)
        #expect(find(&cache, at: 308) == "key")
        #expect(find(&cache, "other", at: 308) == "unavailable")
        #expect(find(&cache, at: 311) == "fetch")
        save(&cache, nil, at: 312)
        let end = 306 + 86_400
        #expect(find(&cache, at: end - 1) == "fetch")
        save(&cache, nil, at: end - 1)
        #expect(find(&cache, at: end - 1) == "key")
        #expect(find(&cache, at: end) == "unavailable")
    }

    @Test("an id with a key of the other algorithm fetches nothing")
    func otherAlgorithm() {
        var cache = KeyCache()
        #expect(find(&cache, at: 0) == "fetch")
        save(&cache, old, at: 0)
        guard case .keyOfOtherAlgorithm = cache.find("one", .es256, at: at(200)) else {
            Issue.record("another answer")
            return
        }
    }
}

import Dispatch
import HTTPClient
import ParleyProtocol
import Synchronization
import TestNames
import TestSupport
import Testing

@testable import ParleyPush

/// A resolver that answers for names that begin with "slow" only when it is let.
private final class Resolver: Sendable {
    let addresses = [IPAddress(bytes: [192, 0, 2, 1])].compactMap(\.self)
    private let gate = DispatchSemaphore(value: 0)
    private let names = Mutex<[String]>([])

    var asked: [String] { names.withLock { $0 } }

    func lookup(_ host: String) -> [IPAddress] {
        names.withLock { $0.append(host) }
        if host.hasPrefix("slow") {
            gate.wait()
            gate.signal()
        }
        return addresses
    }

    func open() { gate.signal() }
}

@Suite("Names of hosts that are looked up", .ownThreads)
struct HostLookupsTests {
    private let resolver = Resolver()

    private static func answer() -> HostLookups.Answer { AsyncStream.makeStream().continuation }

    @Test("names of one user that nobody answers hold a quarter of the threads, and another's are looked up meanwhile")
    func quarter() async throws {
        let (resolver, lookups) = (resolver, HostLookups(threads: 8, resolver.lookup))
        defer { resolver.open() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<6 {
                group.addTask {
                    _ = await lookups.addresses(of: "slow\(number).example.com", for: "mallory", within: patience)
                }
            }
            try await waiting(for: "two of them") { resolver.asked.count == 2 }
            for user in ["alice", "bob"] as [UserID] {
                let found = await lookups.addresses(of: "\(user).example.com", for: user, within: patience)
                #expect(found == resolver.addresses)
            }
            #expect(resolver.asked.count == 4)
            resolver.open()
            try await group.waitForAll()
        }
        #expect(Set(resolver.asked).count == 8)
    }

    @Test("a name is looked up once for all who ask for it meanwhile, and who waits no more is not told")
    func shared() {
        var queue = LookupQueue(threads: 8)
        let answers = (0..<4).map { _ in Self.answer() }
        let asked = zip(["alice", "bob", "carol", "dave"] as [UserID], answers).map { user, answer in
            queue.ask("example.com", for: user, answer)
        }
        #expect(asked[0] == .needsThread)
        let (first, second) = (queue.next(), queue.next())
        #expect(first == "example.com" && second == nil)
        queue.giveUp("example.com", answers[1])
        let told = queue.finish("example.com")
        #expect(told == [answers[0], answers[2], answers[3]])
        let again = queue.ask("example.com", for: "alice", answers[0])
        #expect(again == .needsThread)
    }

    @Test("a name for which a user has no thread left is looked up for another who asks for it")
    func forAnother() {
        var queue = LookupQueue(threads: 4)
        _ = queue.ask("one.example.com", for: "mallory", Self.answer())
        let one = queue.next()
        let refused = queue.ask("push.example.com", for: "mallory", Self.answer())
        #expect(one == "one.example.com" && refused == .queued)
        let asked = queue.ask("push.example.com", for: "alice", Self.answer())
        let two = queue.next()
        #expect(asked == .needsThread && two == "push.example.com")
    }

    @Test("what nobody waits for any more is not begun")
    func givenUp() {
        var queue = LookupQueue(threads: 4)
        let answer = Self.answer()
        _ = queue.ask("example.com", for: "alice", answer)
        queue.giveUp("example.com", answer)
        let next = queue.next()
        #expect(next == nil)
        _ = queue.ask("example.com", for: "alice", answer)
        let told = queue.stop()
        let stopped = queue.ask("example.com", for: "alice", answer)
        #expect(told == [answer] && stopped == .stopped)
    }

    @Test("addresses judged before serve where the name is not looked up in time, and of others nothing is known")
    func stale() async throws {
        let resolver = resolver
        let isSlow = Mutex(false)
        defer { resolver.open() }
        let addresses = EndpointAddresses(
            policy: EndpointPolicy(allowsPrivate: true), limit: .milliseconds(100), names: 8,
            lookup: { resolver.lookup(isSlow.withLock { $0 } ? "slow" : $0) })
        let (known, other) = (
            try #require(WebURL("https://push.example.com/")), try #require(WebURL("https://example.com/"))
        )
        // The first is asked until it is answered, however busy the machine.
        try await waiting(for: "an answer") { (try? await addresses.addresses(of: known, for: "bob")) != nil }
        isSlow.withLock { $0 = true }
        addresses.expire(known)
        #expect(try await addresses.addresses(of: known, for: "bob") == resolver.addresses)
        await #expect(throws: EndpointFault.notLookedUp) { try await addresses.addresses(of: other, for: "bob") }
        addresses.stop()
    }

    @Test("a name that was not looked up is no failure of its service, and one without an address is")
    func health() {
        #expect(ServiceAnswer(EndpointFault.notLookedUp).health == .unknown)
        #expect(ServiceAnswer(EndpointFault.notFound).health == .fails)
    }
}

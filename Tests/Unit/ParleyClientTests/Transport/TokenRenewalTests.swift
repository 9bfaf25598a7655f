import TestSupport
import Foundation
import MemoryTransport
import ParleyProtocol
import Testing

@testable import ParleyClient

@Suite("A token that is renewed before it ends", .timeLimit(.minutes(20)))
struct TokenRenewalTests {
    private static let day: Int64 = 86_400_000

    private let position: TemporaryDirectory
    private let directory: DeviceDirectory
    private let broker: MemoryBroker
    private let first: DeviceCredentials

    init() throws {
        position = try TemporaryDirectory()
        directory = position.directory(of: device("alice/phone"))
        first = DeviceCredentials(
            of: directory.device, password: "token 1", expiresAt: Timestamp(milliseconds: 30 * Self.day))
        broker = try MemoryBroker()
        broker.setTokens(TokenDesk(first))
        try directory.store(first, at: Timestamp(milliseconds: 0))
    }

    private struct DiskFullError: Error {}

    /// A client's configuration whose clock shows `day`.
    private func configuration(
        _ day: Int64, replace: (@Sendable (DeviceCredentials, DeviceCredentials) async throws -> Void)? = nil
    ) -> ClientConfiguration {
        let now = Timestamp(milliseconds: day * Self.day)
        var connection = DeviceConfiguration(
            gateway: .tcp(host: "none", port: 1), device: directory.device, over: MemoryTransport(broker)
        ) { [directory] in try directory.readCredentials() }
        connection.longestPause = .milliseconds(10)
        connection.firstRepeat = .milliseconds(20)
        connection.name = .main
        connection.renewal = TokenRenewal { [directory] in
            try directory.readStoredCredentials()
        } replace: { [directory] former, renewed in
            if let replace { return try await replace(former, renewed) }
            _ = try directory.replace(former, with: renewed, at: now)
        }
        var configuration = ClientConfiguration(
            connection: connection, keys: FileKeyStore(in: directory), directory: directory)
        configuration.storage = .memory
        configuration.now = { now }
        return configuration
    }

    /// Runs a client whose clock shows `day` until it has kept a renewed token, and signs in once more.
    private func renew(on day: Int64) async throws {
        let (kept, tell) = AsyncStream<Void>.makeStream()
        let now = Timestamp(milliseconds: day * Self.day)
        let configuration = configuration(day) { [directory] former, renewed in
            _ = try directory.replace(former, with: renewed, at: now)
            tell.yield()
        }
        try await MessagingClient.open(configuration) { [broker] client in
            for await _ in kept { break }
            let events = client.events()
            broker.dropConnections()
            for await case .connected in events { break }
        }
    }

    @Test("before two thirds of its life it is not asked for, and whatever the delay it is before the end")
    func time() throws {
        let kept = try directory.readStoredCredentials()
        #expect(kept.renewalTime(delay: 0).milliseconds == 20 * Self.day)
        #expect(kept.renewalTime(delay: 1).milliseconds == 20 * Self.day + 3 * Self.day / 2)
        let unknown = StoredCredentials(first, storedAt: nil)
        #expect(unknown.renewalTime(delay: 0).milliseconds == 20 * Self.day)
        // Of a device whose clock is ahead.
        let late = StoredCredentials(first, storedAt: Timestamp(milliseconds: 31 * Self.day))
        #expect(late.renewalTime(delay: 1).milliseconds == 30 * Self.day)
    }

    @Test("it is kept, and then the next connection signs in with it; until its time has come nobody asks")
    func renewed() async throws {
        try await MessagingClient.open(configuration(19)) { try await $0.ready(timeout: .seconds(60)) }
        #expect(!broker.requests.contains(RenewDevice.operation))
        try await renew(on: 22)
        #expect(try directory.readStoredCredentials().storedAt == Timestamp(milliseconds: 22 * Self.day))
        #expect(try directory.readCredentials() == broker.currentToken)
        #expect(broker.passwords == ["token 1", "token 1", "token 2"])
    }

    @Test("replies that are lost change nothing: all copies get the same token")
    func lostReplies() async throws {
        broker.set(
            Weather { $0.leg == .reply(RenewDevice.operation) && $0.number <= 3 ? .lost : .arrives })
        try await renew(on: 22)
        #expect(broker.requests.filter { $0 == RenewDevice.operation }.count >= 4)
        #expect(broker.passwords == ["token 1", "token 2"])
    }

    @Test("a process that ends after the reply and before it has kept it signs in as before, and gets the same token")
    func endedBetween() async throws {
        let (replied, tell) = AsyncStream<Void>.makeStream()
        let configuration = configuration(22) { _, _ in
            tell.yield()
            throw DiskFullError()
        }
        try await MessagingClient.open(configuration) { _ -> Void in for await _ in replied { break } }
        #expect(try directory.readCredentials() == first)
        try await renew(on: 22)
        #expect(broker.passwords == ["token 1", "token 1", "token 2"])
    }

    @Test("a renewal that fails is reported with its reason and the token's end, and not again with the next attempt")
    func reported() async throws {
        let (attempts, attempt) = AsyncStream<Void>.makeStream()
        let gate = Gate()
        let configuration = configuration(22) { _, _ in
            await gate.wait()
            attempt.yield()
            throw DiskFullError()
        }
        let reports = try await MessagingClient.open(configuration) { [broker] client in
            // Nothing is reported before somebody listens.
            let events = client.events()
            gate.open()
            var attempts = attempts.makeAsyncIterator()
            // The next connection tries again at once; when the third attempt begins the second is over.
            for _ in 1...3 {
                await attempts.next()
                broker.dropConnections()
            }
            return events
        }
        var count = 0
        for await case .tokenNotRenewed(let error, let end) in reports {
            count += 1
            guard case .notSaved(let reason) = error, reason is DiskFullError else { throw UnexpectedError(error) }
            #expect(end == first.expiresAt)
        }
        #expect(count == 1)
        #expect(try directory.readCredentials() == first)
    }

    @Test("what the gateway refuses, and credentials that cannot be read, are reported too", arguments: [true, false])
    func otherReports(isRefused: Bool) async throws {
        broker.setTokens(nil)
        let gate = Gate()
        var configuration = configuration(22)
        configuration.connection.renewal?.stored = { [directory] in
            await gate.wait()
            guard isRefused else { throw DiskFullError() }
            return try directory.readStoredCredentials()
        }
        try await MessagingClient.open(configuration) { client in
            let events = client.events()
            gate.open()
            for await case .tokenNotRenewed(let error, let end) in events {
                switch error {
                case .notRenewed(.refused): #expect(isRefused && end == first.expiresAt)
                case .unreadable(let reason): #expect(!isRefused && end == nil && reason is DiskFullError)
                case .notRenewed, .notSaved: Issue.record("\(error)")
                }
                break
            }
        }
    }

    @Test("what a process that was killed has left of new credentials goes when they are read, and the others stay")
    func leftover() throws {
        let leftover = directory.path + "/.credentials.json.new"
        #expect(FileManager.default.createFile(atPath: leftover, contents: Data("{".utf8)))
        #expect(try directory.readCredentials() == first)
        #expect(!FileManager.default.fileExists(atPath: leftover))
        // A writer reads, too, and holds the lock.
        #expect(FileManager.default.createFile(atPath: leftover, contents: Data("{".utf8)))
        #expect(try directory.replace(first, with: first))
    }

    /// Lets nobody through before it is opened.
    private final class Gate: Sendable {
        private let (opened, key) = AsyncStream<Void>.makeStream()

        func open() { key.finish() }

        func wait() async { for await _ in opened {} }
    }

    @Test("of two processes the one that comes late keeps nothing in place of what the other has kept")
    func stale() throws {
        let (second, third) = (
            DeviceCredentials(of: directory.device, password: "token 2", expiresAt: first.expiresAt),
            DeviceCredentials(of: directory.device, password: "token 3", expiresAt: first.expiresAt)
        )
        #expect(try directory.replace(first, with: second))
        #expect(try directory.replace(first, with: second))
        #expect(try !directory.replace(first, with: third))
        #expect(try directory.readCredentials() == second)
    }

    @Test("who signs in with a token that another process has replaced meanwhile asks for the newer one, and signs in")
    func replacedMeanwhile() async throws {
        let asked = Counter()
        var configuration = configuration(1)
        let old = DeviceCredentials(of: directory.device, password: "token 0", expiresAt: first.expiresAt)
        configuration.connection.credentials = { [first] in asked.next() == 1 ? old : first }
        try await MessagingClient.open(configuration) { try await $0.ready(timeout: .seconds(60)) }
        #expect(asked.count == 2)
    }

    @Test("a token that is refused twice is the end, also from a source that has another each time")
    func refused() async throws {
        let asked = Counter()
        var configuration = configuration(1)
        configuration.connection.credentials = { [device = directory.device] in
            DeviceCredentials(of: device, password: "other \(asked.next())", expiresAt: .latest)
        }
        try await MessagingClient.open(configuration) { client in
            let error = await #expect(throws: ClientError.self) { try await client.ready(timeout: .seconds(60)) }
            guard case .ended(.notAuthorized)? = error else { throw UnexpectedError(error) }
        }
        #expect(asked.count == 2)
    }

    @Test("a source of credentials that fails is told of and asked again")
    func failingSource() async throws {
        let asked = Counter()
        var connection = configuration(1).connection
        connection.credentials = { [first] in
            await Task.yield()
            if asked.next() <= 2 { throw DiskFullError() }
            return first
        }
        try await DeviceConnection.open(connection) { connection in
            var failures = 0
            for await event in connection.events {
                if case .waiting(.noCredentials(let error), _) = event, error is DiskFullError { failures += 1 }
                if case .connected = event { break }
            }
            #expect(failures == 2)
        }
    }

    @Test("a connection that is not wanted any more ends while its source of credentials has not answered")
    func unanswered() async throws {
        var connection = configuration(1).connection
        let (asked, tell) = AsyncStream<Void>.makeStream()
        connection.credentials = { [first] in
            tell.yield()
            let (never, source) = AsyncStream<Void>.makeStream()
            // Ends when it is cancelled.
            for await _ in never {}
            withExtendedLifetime(source) {}
            return first
        }
        try await DeviceConnection.open(connection) { _ in for await _ in asked { break } }
        #expect(broker.connections == 0)
    }
}

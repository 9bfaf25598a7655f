import Foundation
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import ParleyProtocol
import TestSupport
import Testing

@testable import ParleyWeb

@Suite("Collection of blobs")
struct BlobCollectorTests {
    private let authority = BlobAuthorityDouble()
    private let directory: TemporaryDirectory
    private let store: DiskBlobStore
    private let collector: BlobCollector
    private let alice = UserID(validated: "alice")

    init() throws {
        directory = try TemporaryDirectory()
        store = try DiskBlobStore(directory.path, reserve: 0)
        var configuration = BlobConfiguration(.disk(directory: directory.path))
        configuration.comparison = .nanoseconds(0)
        collector = BlobCollector(
            store: store, authority: authority, configuration: configuration,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func put(isKnown: Bool = true) async throws -> BlobID {
        let bytes = BlobSample.bytes(20)
        let blob = try BlobSample.blob(bytes)
        let upload = BlobUpload(id: blob.id, maker: alice)
        try await store.begin(upload, blob)
        let writer = try await store.append(to: upload, at: 0, blob)
        try await writer.write([ByteBuffer(bytes: bytes)], on: MultiThreadedEventLoopGroup.singleton.next()).get()
        try await writer.complete()
        writer.close()
        if isKnown { authority.state.withLockedValue { $0.blobs[blob.id] = (blob, alice) } }
        return blob.id
    }

    private func exists(_ id: BlobID) async throws -> Bool { try await store.open(id) != nil }

    @Test("files of blobs that are gone are removed, and the gateway hears of it afterwards")
    func gone() async throws {
        var ids: [BlobID] = []
        for _ in 0..<5 { ids.append(try await put()) }
        let stays = try await put()
        authority.state.withLockedValue { $0.gone = Set(ids) }
        var comparison = BlobCollector.Comparison()
        try await collector.collect(&comparison)
        for id in ids { #expect(try await !exists(id)) }
        #expect(try await exists(stays))
        #expect(authority.state.withLockedValue { Set($0.removed) } == Set(ids))
        await store.end()
    }

    @Test("a comparison that fails keeps nothing that is gone")
    func strayFile() async throws {
        let id = try await put()
        authority.state.withLockedValue { $0.gone = [id] }
        try Data().write(to: URL(filePath: directory.path).appending(path: "complete/zz"))
        var comparison = BlobCollector.Comparison()
        await #expect(throws: BlobStoreError.self) { try await collector.collect(&comparison) }
        #expect(try await !exists(id))
        #expect(authority.state.withLockedValue { $0.removed } == [id])
        await store.end()
    }

    @Test("a gateway that does not answer costs no file")
    func down() async throws {
        let id = try await put()
        authority.state.withLockedValue { ($0.gone, $0.isDown) = ([id], true) }
        var comparison = BlobCollector.Comparison()
        await #expect(throws: BlobRefusal.self) { try await collector.collect(&comparison) }
        #expect(try await exists(id))
        await store.end()
    }

    @Test("an unknown file goes after seven days, and not if the gateway knows it again")
    func unknown() async throws {
        let (lost, found, known) = (try await put(isKnown: false), try await put(isKnown: false), try await put())
        let start = BlobCollector.now
        var comparison = BlobCollector.Comparison()
        try await collector.collect(&comparison, now: start)
        try await collector.collect(&comparison, now: start.advanced(byMilliseconds: 6 * 86_400_000))
        for id in [lost, found, known] { #expect(try await exists(id)) }
        #expect(Set(try await store.unknownSince().keys) == [lost, found])
        let blob = try BlobSample.blob(BlobSample.bytes(20), id: found)
        authority.state.withLockedValue { $0.blobs[found] = (blob, alice) }
        // Another process knows the marks, too.
        var later = BlobCollector.Comparison()
        try await collector.collect(&later, now: start.advanced(byMilliseconds: 8 * 86_400_000))
        #expect(try await !exists(lost))
        for id in [found, known] { #expect(try await exists(id)) }
        #expect(try await store.unknownSince().isEmpty)
        await store.end()
    }
}

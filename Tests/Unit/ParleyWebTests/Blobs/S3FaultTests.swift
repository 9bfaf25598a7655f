import HTTPDoubles
import ParleyProtocol
import TestSupport
import Testing

@testable import ParleyWeb

/// A service that fails, or lies about what it has done.
@Suite("Faults of S3")
struct S3FaultTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let operation: BucketDouble.Operation
        let fault: ObjectStorageDouble.Fault
        /// Of the upload: two parts are joined, and one is copied.
        var size = 9 << 20

        var testDescription: String { "\(operation) \(fault), \(size) bytes" }
    }

    private static let refused = ObjectStorageDouble.Fault.answer(
        200, body: "<Error><Code>InternalError</Code></Error>")

    /// Of each an upload must not be complete, and lose nothing that cannot be sent again.
    static let cases = [
        Case(operation: .put, fault: .answer(500)), Case(operation: .put, fault: .answer(403)),
        Case(operation: .put, fault: .forgotten), Case(operation: .put, fault: .otherTag),
        Case(operation: .createUpload, fault: .answer(500)), Case(operation: .createUpload, fault: .answer(200)),
        Case(operation: .createUpload, fault: .forgotten), Case(operation: .createUpload, fault: .brokenOff),
        Case(operation: .copyPart, fault: .answer(500)), Case(operation: .copyPart, fault: refused),
        Case(operation: .copyPart, fault: .forgotten), Case(operation: .copyPart, fault: .otherTag),
        Case(operation: .copyPart, fault: .brokenOff), Case(operation: .copyPart, fault: .short),
        Case(operation: .completeUpload, fault: .answer(500)), Case(operation: .completeUpload, fault: refused),
        Case(operation: .completeUpload, fault: .answer(200)), Case(operation: .completeUpload, fault: .forgotten),
        Case(operation: .copy, fault: .answer(500), size: 1000), Case(operation: .copy, fault: refused, size: 1000),
        Case(operation: .copy, fault: .forgotten, size: 1000), Case(operation: .copy, fault: .answer(200), size: 1000),
        Case(operation: .head, fault: .answer(500)), Case(operation: .head, fault: .short, size: 1000),
    ]

    private static let alice = UserID(validated: "alice")
    private static let sample = Array(BlobSample.large.prefix(9 << 20))

    @Test("an upload is complete only once the service has it, and goes on when the service is well", arguments: cases)
    func faults(_ test: Case) async throws {
        try await ObjectStorageDouble.with { double in
            try await TestedBlobStore.run(TestedBlobStore.stores(2, at: double.url)) { stores in
                let bytes = Array(Self.sample.prefix(test.size))
                let blob = try BlobSample.blob(bytes)
                let upload = BlobUpload(id: blob.id, maker: Self.alice)
                try await stores[0].begin(upload, blob)
                let writer = try await stores[0].append(to: upload, at: 0, blob)
                double.set(test.fault, on: test.operation)
                await #expect(throws: BlobStoreError.self) {
                    try await stores[0].write(bytes[...], writer)
                    try await writer.complete()
                }
                writer.close()
                let progress = try? await stores[1].progress(of: upload, blob)
                // Tags that a list tells are the true ones: by these the other store completes it.
                if test.fault != .otherTag || test.operation != .put {
                    #expect(progress != .complete && progress != .missing)
                    if test.operation != .head { #expect(try await stores[1].open(blob.id) == nil) }
                }
                double.set(nil, on: test.operation)
                try await finish(upload, blob, bytes, in: stores[1])
                #expect(try await stores[0].content(blob.id) == bytes)
            }
        }
    }

    /// Sends what the service does not have.
    private func finish(
        _ upload: BlobUpload, _ blob: Blob, _ bytes: [UInt8], in store: any BlobStore
    ) async throws {
        guard case .partial(let offset) = try await store.progress(of: upload, blob) else { return }
        let writer = try await store.append(to: upload, at: offset, blob)
        defer { writer.close() }
        try await store.write(bytes[offset...], writer)
        try await writer.complete()
    }

    @Test(
        "what another door has written is not taken for right without all of it",
        arguments: [
            Case(operation: .get, fault: .answer(500)), Case(operation: .get, fault: .short),
            Case(operation: .get, fault: .brokenOff), Case(operation: .get, fault: .answer(404)),
            Case(operation: .list, fault: .answer(500)), Case(operation: .list, fault: .short),
            Case(operation: .list, fault: .answer(200)),
        ])
    func readAgain(_ test: Case) async throws {
        try await ObjectStorageDouble.with { double in
            try await TestedBlobStore.run(TestedBlobStore.stores(2, at: double.url)) { stores in
                let bytes = Array(Self.sample.prefix(test.size))
                let blob = try BlobSample.blob(bytes)
                let upload = BlobUpload(id: blob.id, maker: Self.alice)
                try await stores[0].begin(upload, blob)
                let writer = try await stores[0].append(to: upload, at: 0, blob)
                try await stores[0].write(bytes[...], writer)
                try await writer.keep()
                writer.close()
                double.set(test.fault, on: test.operation)
                await #expect(throws: BlobStoreError.self) { try await stores[1].progress(of: upload, blob) }
                // That something is not there is said by a list, too.
                if test.operation == .list {
                    await #expect(throws: BlobStoreError.self) { try await stores[1].open(blob.id) }
                } else {
                    #expect(try await stores[1].open(blob.id) == nil)
                }
                double.set(nil, on: test.operation)
                #expect(try await stores[1].progress(of: upload, blob) == .complete)
                double.set(test.fault, on: test.operation)
                if test.operation == .get {
                    await #expect(throws: (any Error).self) { try await stores[0].content(blob.id) }
                }
                double.set(nil, on: test.operation)
                #expect(try await stores[0].content(blob.id) == bytes)
            }
        }
    }

    @Test("a part that another door has changed is not joined")
    func changed() async throws {
        try await ObjectStorageDouble.with { double in
            try await TestedBlobStore.run(TestedBlobStore.stores(2, at: double.url)) { stores in
                let (bytes, other) = (Self.sample, Array(Self.sample.reversed()))
                let blob = try BlobSample.blob(bytes)
                let upload = BlobUpload(id: blob.id, maker: Self.alice)
                try await stores[0].begin(upload, blob)
                let first = try await stores[0].append(to: upload, at: 0, blob)
                let second = try await stores[1].append(to: upload, at: 0, blob)
                try await stores[0].write(bytes[...], first)
                try await stores[1].write(other[...], second)
                await #expect(throws: BlobStoreError.self) { try await first.complete() }
                #expect(try await stores[0].open(blob.id) == nil)
                await #expect(throws: BlobStoreError.wrongDigest) { try await second.complete() }
                first.close()
                second.close()
                #expect(try await stores[0].progress(of: upload, blob) == .partial(0))
            }
        }
    }

    @Test("a service that is not there is unavailable, one without the bucket too, and a full one is full")
    func away() async throws {
        try await ObjectStorageDouble.with { double in
            let blob = try BlobSample.blob([1, 2, 3])
            let upload = BlobUpload(id: blob.id, maker: Self.alice)
            try await TestedBlobStore.run(TestedBlobStore.stores(1, at: "http://127.0.0.1:1")) { stores in
                await #expect(throws: BlobStoreError.unavailable) { try await stores[0].begin(upload, blob) }
                await #expect(throws: BlobStoreError.unavailable) { try await stores[0].progress(of: upload, blob) }
                await #expect(throws: BlobStoreError.unavailable) { try await stores[0].open(blob.id) }
            }
            try await TestedBlobStore.run(TestedBlobStore.stores(1, at: double.url)) { stores in
                let faults: [(ObjectStorageDouble.Fault, BlobStoreError)] = [
                    (.answer(404, body: "<Error><Code>NoSuchBucket</Code></Error>"), .unavailable),
                    (.answer(403, body: "<Error><Code>InvalidAccessKeyId</Code></Error>"), .unavailable),
                    (.answer(403, body: "<Error><Code>QuotaExceeded</Code></Error>"), .full), (.answer(507), .full),
                ]
                for (fault, error) in faults {
                    double.set(fault, on: .put)
                    await #expect(throws: error) { try await stores[0].begin(upload, blob) }
                }
                let missing = try await stores[0].open(blob.id)
                #expect(missing == nil)
                double.set(faults[0].0, on: .list)
                await #expect(throws: BlobStoreError.unavailable) { try await stores[0].open(blob.id) }
            }
        }
    }
}

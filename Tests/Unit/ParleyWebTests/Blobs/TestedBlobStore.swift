import Foundation
import HTTPDoubles
import Logging
import NIOCore
import NIOPosix
import ParleyProtocol
import TestSupport
import Testing

@testable import ParleyWeb

/// A kind of store that a test runs on.
enum TestedBlobStore: String, Sendable, CaseIterable {
    case disk
    /// Objects in a service of this process.
    case objects
    /// `PARLEY_S3` is the URL of a service that takes any credentials, and has a bucket `blobs`: see
    /// scripts/test-blobs.sh.
    case service

    static var possible: [TestedBlobStore] { serviceURL == nil ? [.disk, .objects] : allCases }
    static let serviceURL = ProcessInfo.processInfo.environment["PARLEY_S3"]

    /// - Parameter count: of stores over the same place, as doors have them.
    func with(_ count: Int = 1, _ body: ([any BlobStore]) async throws -> Void) async throws {
        switch self {
        case .disk:
            let directory = try TemporaryDirectory()
            let stores = try (0..<count).map { _ in try DiskBlobStore(directory.path, reserve: 0) }
            try await TestedBlobStore.run(stores, body)
        case .objects:
            try await ObjectStorageDouble.with { double in
                try await TestedBlobStore.run(TestedBlobStore.stores(count, at: double.url), body)
            }
        case .service:
            try await TestedBlobStore.run(
                TestedBlobStore.stores(count, at: try #require(TestedBlobStore.serviceURL)), body)
        }
    }

    /// Stores over one part of the bucket.
    static func stores(_ count: Int, at url: String) throws -> [S3BlobStore] {
        let configuration = try configuration("test-\(UInt64.random(in: 0 ... .max))", at: url)
        return (0..<count).map { _ in S3BlobStore(configuration, logger: silent) }
    }

    static func run<Store: BlobStore>(
        _ stores: [Store], _ body: ([any BlobStore]) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for store in stores { group.addTask { try await store.run() } }
            defer { group.cancelAll() }
            try await body(stores)
        }
        for store in stores { await store.end() }
    }

    static func configuration(_ prefix: String, at url: String) throws -> S3Configuration {
        S3Configuration(
            endpoint: try #require(S3Endpoint(url)), bucket: try #require(S3Bucket("s3://blobs/\(prefix)")),
            region: "us-east-1", credentials: try #require(S3Credentials(keyID: "key", secret: "secret")))
    }

    static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}

extension ObjectStorageDouble {
    static func with(_ body: (ObjectStorageDouble) async throws -> Void) async throws {
        let double = try ObjectStorageDouble()
        defer { double.close() }
        try await body(double)
    }
}

extension BlobStore {
    func write(_ bytes: ArraySlice<UInt8>, _ writer: any BlobWriter) async throws {
        try await writer.write([ByteBuffer(bytes: bytes)], on: MultiThreadedEventLoopGroup.singleton.next()).get()
    }

    /// Everything in a complete blob, read in pieces.
    func content(_ id: BlobID) async throws -> [UInt8]? {
        guard let reader = try await open(id) else { return nil }
        var bytes: [UInt8] = []
        while bytes.count < reader.size {
            let part = try await reader.read(
                at: bytes.count, count: reader.piece, on: MultiThreadedEventLoopGroup.singleton.next()
            ).get()
            bytes += part.readableBytesView
        }
        return bytes
    }

    func put(_ bytes: [UInt8], by maker: UserID) async throws -> Blob {
        let blob = try BlobSample.blob(bytes)
        let upload = BlobUpload(id: blob.id, maker: maker)
        try await begin(upload, blob)
        let writer = try await append(to: upload, at: 0, blob)
        defer { writer.close() }
        try await write(bytes[...], writer)
        try await writer.complete()
        return blob
    }
}

import Foundation
import Launch
import NIOCore
import NIOPosix
import ParleyProtocol
import PrivateFiles
import TestSupport
import Testing

@testable import ParleyWeb

@Suite("Blobs on disk")
struct DiskBlobStoreTests {
    private let directory: TemporaryDirectory
    private let store: DiskBlobStore
    private let loop = MultiThreadedEventLoopGroup.singleton.next()
    private let alice = UserID(validated: "alice")

    init() throws {
        directory = try TemporaryDirectory()
        store = try DiskBlobStore(directory.path, reserve: 0)
    }

    private func upload(_ blob: Blob) -> BlobUpload { BlobUpload(id: blob.id, maker: alice) }

    private func write(_ bytes: [UInt8], _ writer: any BlobWriter) async throws {
        try await writer.write([ByteBuffer(bytes: bytes)], on: loop).get()
    }

    private func put(_ bytes: [UInt8], in store: DiskBlobStore? = nil) async throws -> Blob {
        let store = store ?? self.store
        let blob = try BlobSample.blob(bytes)
        try await store.begin(upload(blob), blob)
        let writer = try await store.append(to: upload(blob), at: 0, blob)
        try await write(bytes, writer)
        try await writer.complete()
        writer.close()
        return blob
    }

    private func content(_ id: BlobID, in store: DiskBlobStore? = nil) async throws -> [UInt8]? {
        guard let reader = try await (store ?? self.store).open(id) else { return nil }
        return Array(try await reader.read(at: 0, count: max(1, reader.size), on: loop).get().readableBytesView)
    }

    private func files(_ folder: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: "\(directory.path)/\(folder)").filter { $0.utf8.count > 5 }
    }

    @Test("what was written in pieces, by several writers, is whole at the end, and private")
    func pieces() async throws {
        let bytes = BlobSample.bytes(100_000)
        let blob = try BlobSample.blob(bytes)
        try await store.begin(upload(blob), blob)
        for start in stride(from: 0, to: bytes.count, by: 25_000) {
            #expect(try await store.progress(of: upload(blob), blob) == .partial(start))
            #expect(try await content(blob.id) == nil)
            let writer = try await store.append(to: upload(blob), at: start, blob)
            for piece in stride(from: start, to: start + 25_000, by: 5_000) {
                try await write(Array(bytes[piece..<(piece + 5_000)]), writer)
            }
            #expect(writer.offset == start + 25_000)
            if start == 75_000 { try await writer.complete() }
            writer.close()
        }
        #expect(try await content(blob.id) == bytes)
        #expect(try await store.progress(of: upload(blob), blob) == .complete)
        #expect(try files("incoming").isEmpty)
        let name = try #require(try files("complete").first)
        #expect(try directory.permissions("complete/\(name)") == 0o600)
        #expect(try directory.permissions("complete") == 0o700)
        await store.end()
    }

    @Test("a store that lost its digests reads the upload again")
    func anotherProcess() async throws {
        let bytes = BlobSample.bytes(600_000)
        let blob = try BlobSample.blob(bytes)
        try await store.begin(upload(blob), blob)
        let writer = try await store.append(to: upload(blob), at: 0, blob)
        try await write(Array(bytes[..<400_000]), writer)
        writer.close()
        let other = try DiskBlobStore(directory.path, reserve: 0)
        let second = try await other.append(to: upload(blob), at: 400_000, blob)
        try await write(Array(bytes[400_000...]), second)
        try await second.complete()
        second.close()
        #expect(try await content(blob.id) == bytes)
        for store in [store, other] { await store.end() }
    }

    @Test("one writer at a time, also among doors, and the next at once after its end")
    func locked() async throws {
        let blob = try BlobSample.blob(BlobSample.bytes(100))
        try await store.begin(upload(blob), blob)
        let writer = try await store.append(to: upload(blob), at: 0, blob)
        let other = try DiskBlobStore(directory.path, reserve: 0)
        for store in [store, other] {
            await #expect(throws: BlobStoreError.locked) { try await store.append(to: upload(blob), at: 0, blob) }
        }
        writer.close()
        let next = try await other.append(to: upload(blob), at: 0, blob)
        next.close()
        for store in [store, other] { await store.end() }
    }

    @Test("after a crash between the last byte and the end the upload is completed, or begins anew")
    func crashed() async throws {
        for isWhole in [true, false] {
            let bytes = BlobSample.bytes(5000)
            let blob = try BlobSample.blob(bytes)
            try await store.begin(upload(blob), blob)
            let path = store.names.path(of: upload(blob))
            try Data(isWhole ? bytes : BlobSample.bytes(5000, seed: 3)).write(to: URL(filePath: path))
            #expect(try await content(blob.id) == nil)
            #expect(try await store.progress(of: upload(blob), blob) == (isWhole ? .complete : .partial(0)))
            #expect(try await content(blob.id) == (isWhole ? bytes : nil))
        }
        await store.end()
    }

    @Test("a file that is longer than its blob begins anew")
    func tooLong() async throws {
        let blob = try BlobSample.blob(BlobSample.bytes(100))
        try await store.begin(upload(blob), blob)
        try Data(count: 200).write(to: URL(filePath: store.names.path(of: upload(blob))))
        #expect(try await store.progress(of: upload(blob), blob) == .partial(0))
        await store.end()
    }

    @Test("a blob is removed with its uploads, also while it is written and read")
    func removed() async throws {
        let bytes = BlobSample.bytes(1000)
        let whole = try await put(bytes)
        let reader = try #require(try await store.open(whole.id))
        let blob = try BlobSample.blob(bytes)
        try await store.begin(upload(blob), blob)
        let writer = try await store.append(to: upload(blob), at: 0, blob)
        try await write(bytes, writer)
        try await store.remove([whole.id, blob.id, .random()])
        #expect(try await reader.read(at: 0, count: 1000, on: loop).get().readableBytes == 1000)
        await #expect(throws: BlobStoreError.missing) { try await writer.complete() }
        writer.close()
        #expect(try await content(whole.id) == nil)
        #expect(try files("incoming").isEmpty && files("complete").isEmpty)
        await store.end()
    }

    @Test("all blobs are listed in pages, each once, and foreign files are not")
    func pages() async throws {
        var all: Set<BlobID> = []
        for _ in 0..<25 { all.insert(try await put(BlobSample.bytes(20)).id) }
        try Data().write(to: URL(filePath: "\(directory.path)/complete/notes.txt"))
        var (found, last): ([BlobID], BlobID?) = ([], nil)
        while true {
            let page = try await store.ids(after: last, most: 4)
            found += page
            last = page.last
            if page.count < 4 { break }
        }
        #expect(found.count == 25 && Set(found) == all)
        await store.end()
    }

    @Test("uploads that nobody continues are removed, others stay")
    func abandoned() async throws {
        let (old, new) = (try BlobSample.blob([1, 2, 3]), try BlobSample.blob([4, 5, 6]))
        for blob in [old, new] { try await store.begin(upload(blob), blob) }
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1000)], ofItemAtPath: store.names.path(of: upload(old)))
        #expect(try await store.removeUploads(unchangedSince: Timestamp(milliseconds: 2_000_000)) == 1)
        #expect(try await store.progress(of: upload(old), old) == .missing)
        #expect(try await store.progress(of: upload(new), new) == .partial(0))
        await store.end()
    }

    @Test("space that is to stay free is not given away")
    func reserve() async throws {
        let full = try DiskBlobStore(directory.path, reserve: .max / 2)
        let blob = try BlobSample.blob(BlobSample.bytes(100))
        await #expect(throws: BlobStoreError.full) { try await full.begin(upload(blob), blob) }
        try await store.begin(upload(blob), blob)
        let writer = try await full.append(to: upload(blob), at: 0, blob)
        await #expect(throws: (any Error).self) { try await write([1, 2, 3], writer) }
        #expect(writer.offset == 0)
        writer.close()
        for store in [store, full] { await store.end() }
    }

    @Test(
        "a disk that is full in the middle leaves the offset true, and the upload goes on when there is room",
        .enabled(if: SmallDisk.isPossible, "needs the right to mount"))
    func fullDisk() async throws {
        let disk = try SmallDisk(megabytes: 2)
        let store = try DiskBlobStore("\(disk.path)/blobs", reserve: 0)
        let bytes = BlobSample.bytes(1 << 20)
        let blob = try BlobSample.blob(bytes)
        try await store.begin(upload(blob), blob)
        let ballast = "\(disk.path)/ballast"
        try Data(count: 1_300_000).write(to: URL(filePath: ballast))
        let writer = try await store.append(to: upload(blob), at: 0, blob)
        var position = 0
        do {
            while position < bytes.count {
                try await write(Array(bytes[position..<(position + 65_536)]), writer)
                position += 65_536
            }
        } catch {
            #expect(BlobStoreError(error) == .full)
        }
        writer.close()
        #expect(position > 0 && position < bytes.count)
        #expect(try await store.progress(of: upload(blob), blob) == .partial(position))
        try Data().write(to: URL(filePath: ballast))
        let second = try await store.append(to: upload(blob), at: position, blob)
        try await write(Array(bytes[position...]), second)
        try await second.complete()
        second.close()
        #expect(try await content(blob.id, in: store) == bytes)
        await store.end()
    }
}

/// A file system in memory with little room, which goes with the value.
private final class SmallDisk {
    let path: String

    static let isPossible: Bool = (try? SmallDisk(megabytes: 1)) != nil

    init(megabytes: Int) throws {
        path = "\(NSTemporaryDirectory())/parley-blobs-\(String(UInt32.random(in: 0 ... .max), radix: 36))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try run("mount", ["-t", "tmpfs", "-o", "size=\(megabytes)m,mode=700", "tmpfs", path])
    }

    deinit {
        try? run("umount", ["-l", path])
        try? FileManager.default.removeItem(atPath: path)
    }

    private func run(_ program: String, _ arguments: [String]) throws {
        let child = try ChildProcess(
            "/usr/bin/\(program)", arguments, directory: "/", output: "/dev/null", errors: "/dev/null")
        let status = child.waitUntilEnded()
        guard status == 0 else { throw SpawnError(path: program, errno: status) }
    }
}

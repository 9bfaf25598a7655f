import NIOCore
import NIOPosix
import ParleyProtocol
import TestSupport
import Testing

@testable import ParleyWeb

/// What holds for every store.
@Suite("Stores of blobs")
struct BlobStoreTests {
    private let alice = UserID(validated: "alice")

    private func upload(_ blob: Blob) -> BlobUpload { BlobUpload(id: blob.id, maker: alice) }

    @Test(
        "what several doors have written in turns is whole at the end, and there only then",
        arguments: TestedBlobStore.possible)
    func turns(_ kind: TestedBlobStore) async throws {
        try await kind.with(2) { stores in
            // Three parts of S3, of which the last is not full.
            let bytes = BlobSample.large
            let blob = try BlobSample.blob(bytes)
            try await stores[0].begin(upload(blob), blob)
            var position = 0
            for (turn, count) in [1000, 9 << 20, 1, 4 << 20, bytes.count].enumerated() {
                let store = stores[turn % 2]
                #expect(try await store.progress(of: upload(blob), blob) == .partial(position))
                #expect(try await store.open(blob.id) == nil)
                let writer = try await store.append(to: upload(blob), at: position, blob)
                let end = min(bytes.count, position + count)
                while position < end {
                    let next = min(end, position + 524_288)
                    try await store.write(bytes[position..<next], writer)
                    position = next
                }
                #expect(writer.offset == position)
                try await position == bytes.count ? writer.complete() : writer.keep()
                writer.close()
            }
            for store in stores {
                #expect(try await store.content(blob.id) == bytes)
                #expect(try await store.progress(of: upload(blob), blob) == .complete)
            }
            #expect(try await stores[1].removeUploads(unchangedSince: Timestamp(milliseconds: .max / 2)) == 0)
        }
    }

    @Test(
        "a door that ends without a word leaves an upload that another completes", arguments: TestedBlobStore.possible)
    func ended(_ kind: TestedBlobStore) async throws {
        try await kind.with(3) { stores in
            let bytes = Array(BlobSample.large.prefix((8 << 20) + 4000))
            let blob = try BlobSample.blob(bytes)
            try await stores[0].begin(upload(blob), blob)
            let first = try await stores[0].append(to: upload(blob), at: 0, blob)
            try await stores[0].write(bytes[..<((8 << 20) + 2000)], first)
            // Neither kept nor closed.
            if kind == .disk { first.close() }
            guard case .partial(let offset) = try await stores[1].progress(of: upload(blob), blob) else {
                Issue.record("no upload")
                return
            }
            #expect(offset >= 8 << 20)
            let second = try await stores[1].append(to: upload(blob), at: offset, blob)
            try await stores[1].write(bytes[offset...], second)
            try await second.keep()
            second.close()
            // All bytes are there, and the third completes it.
            #expect(try await stores[2].progress(of: upload(blob), blob) == .complete)
            #expect(try await stores[0].content(blob.id) == bytes)
            first.close()
        }
    }

    @Test("one writer at a time in a door", arguments: TestedBlobStore.possible)
    func locked(_ kind: TestedBlobStore) async throws {
        try await kind.with { stores in
            let blob = try BlobSample.blob(BlobSample.bytes(100))
            try await stores[0].begin(upload(blob), blob)
            let writer = try await stores[0].append(to: upload(blob), at: 0, blob)
            await #expect(throws: BlobStoreError.locked) { try await stores[0].append(to: upload(blob), at: 0, blob) }
            writer.close()
            try await stores[0].append(to: upload(blob), at: 0, blob).close()
        }
    }

    @Test(
        "an upload of another user's, another offset and an unknown one are refused",
        arguments: TestedBlobStore.possible)
    func refused(_ kind: TestedBlobStore) async throws {
        try await kind.with { stores in
            let store = stores[0]
            let blob = try BlobSample.blob(BlobSample.bytes(100))
            try await store.begin(upload(blob), blob)
            await #expect(throws: BlobStoreError.offset(0)) { try await store.append(to: upload(blob), at: 5, blob) }
            let other = BlobUpload(id: blob.id, maker: UserID(validated: "bob"))
            await #expect(throws: BlobStoreError.missing) { try await store.append(to: other, at: 0, blob) }
            #expect(try await store.progress(of: other, blob) == .missing)
            let whole = try await store.put(BlobSample.bytes(30), by: alice)
            await #expect(throws: BlobStoreError.offset(30)) { try await store.append(to: upload(whole), at: 0, whole) }
        }
    }

    @Test(
        "bytes of another digest are no blob, and the upload is at its beginning", arguments: TestedBlobStore.possible)
    func wrongDigest(_ kind: TestedBlobStore) async throws {
        try await kind.with { stores in
            let store = stores[0]
            let bytes = Array(BlobSample.large.prefix(9 << 20))
            let blob = try BlobSample.blob(bytes)
            try await store.begin(upload(blob), blob)
            let writer = try await store.append(to: upload(blob), at: 0, blob)
            try await store.write(Array(bytes.reversed())[...], writer)
            await #expect(throws: BlobStoreError.wrongDigest) { try await writer.complete() }
            writer.close()
            #expect(try await store.open(blob.id) == nil)
            #expect(try await store.progress(of: upload(blob), blob) == .partial(0))
            let second = try await store.append(to: upload(blob), at: 0, blob)
            try await store.write(bytes[...], second)
            try await second.complete()
            second.close()
            #expect(try await store.content(blob.id) == bytes)
        }
    }

    @Test("a blob is removed with its uploads, also while it is written", arguments: TestedBlobStore.possible)
    func removed(_ kind: TestedBlobStore) async throws {
        try await kind.with { stores in
            let store = stores[0]
            let bytes = BlobSample.bytes(1000)
            let whole = try await store.put(bytes, by: alice)
            let blob = try BlobSample.blob(bytes)
            try await store.begin(upload(blob), blob)
            let writer = try await store.append(to: upload(blob), at: 0, blob)
            try await store.write(bytes[..<500], writer)
            try await writer.keep()
            try await store.remove([whole.id, blob.id, .random()])
            writer.close()
            for blob in [whole, blob] {
                #expect(try await store.open(blob.id) == nil)
                #expect(try await store.progress(of: upload(blob), blob) == .missing)
            }
        }
    }

    @Test("ranges are what they are of the whole", arguments: TestedBlobStore.possible)
    func ranges(_ kind: TestedBlobStore) async throws {
        try await kind.with { stores in
            let bytes = BlobSample.bytes(5000)
            let blob = try await stores[0].put(bytes, by: alice)
            let reader = try #require(try await stores[0].open(blob.id))
            #expect(reader.size == 5000)
            for range in [0..<1, 4999..<5000, 17..<4096] {
                let part = try await reader.read(
                    at: range.lowerBound, count: range.count, on: MultiThreadedEventLoopGroup.singleton.next()
                ).get()
                #expect(Array(part.readableBytesView) == Array(bytes[range]))
            }
        }
    }

    @Test(
        "all blobs are listed in pages, each once; marks stay, and abandoned uploads go",
        arguments: TestedBlobStore.possible)
    func listed(_ kind: TestedBlobStore) async throws {
        try await kind.with(2) { stores in
            var all: Set<BlobID> = []
            for _ in 0..<9 { all.insert(try await stores[0].put(BlobSample.bytes(20), by: alice).id) }
            var (found, last): ([BlobID], BlobID?) = ([], nil)
            while true {
                let page = try await stores[1].ids(after: last, most: 4)
                found += page
                last = page.last
                if page.count < 4 { break }
            }
            #expect(found.count == 9 && Set(found) == all)
            let (one, other) = (BlobID.random(), BlobID.random())
            for id in [one, other] { try await stores[0].markUnknown(id, true) }
            for _ in 0..<2 { try await stores[1].markUnknown(other, false) }
            let marks = try await stores[1].unknownSince()
            #expect(Set(marks.keys) == [one])
            #expect(abs(BlobCollector.now.milliseconds - (marks[one]?.milliseconds ?? 0)) < 60_000)
            let blob = try BlobSample.blob([1, 2, 3])
            try await stores[0].begin(upload(blob), blob)
            #expect(try await stores[1].removeUploads(unchangedSince: Timestamp(milliseconds: 1000)) == 0)
            #expect(try await stores[1].progress(of: upload(blob), blob) == .partial(0))
            let later = BlobCollector.now.advanced(byMilliseconds: 60_000)
            #expect(try await stores[1].removeUploads(unchangedSince: later) == 1)
            #expect(try await stores[0].progress(of: upload(blob), blob) == .missing)
        }
    }
}

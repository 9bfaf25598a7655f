import NIOConcurrencyHelpers
import NIOCore
import ParleyProtocol

/// The writer of an upload. It holds one part in memory, which is written when it is full, at the end, and when the
/// connection has broken.
final class S3BlobWriter: BlobWriter {
    private struct State {
        /// The full ones.
        var parts: [S3Object]
        /// What follows them.
        var tail: [UInt8]
        /// The tail's own part, while it is that part's content.
        var keptTail: S3Object?
        /// Of all of it; `nil` where another door has written some.
        var digest: RunningDigest?
        var isClosed = false

        var offset: Int { parts.count * S3BlobStore.part + tail.count }
        var all: [S3Object] { parts + (keptTail.map { [$0] } ?? []) }
    }

    private let store: S3BlobStore
    private let upload: BlobUpload
    private let blob: Blob
    private let state: NIOLockedValueBox<State>

    /// Reads the part that is not full, so that the next bytes can be added to it.
    ///
    /// - Parameter parts: that are there.
    init(
        _ store: S3BlobStore, _ upload: BlobUpload, _ blob: Blob, _ parts: [S3Object]
    ) async throws(BlobStoreError) {
        (self.store, self.upload, self.blob) = (store, upload, blob)
        let known = store.digests.withLockedValue { digests in
            defer { digests[upload] = nil }
            return digests[upload]
        }
        let digest = known.flatMap { $0.tags == parts.map(\.tag) ? $0.digest : nil }
        var state = State(parts: parts, tail: [], keptTail: nil, digest: digest)
        if digest == nil, parts.isEmpty { state.digest = try RunningDigest() }
        if let last = parts.last, last.size < S3BlobStore.part {
            guard let tail = try await store.service.get(last.name, 0..<last.size, tag: last.tag) else {
                // Another door writes to it.
                throw .locked
            }
            state.parts.removeLast()
            (state.tail, state.keptTail) = (tail, last)
        }
        self.state = NIOLockedValueBox(state)
    }

    var offset: Int { state.withLockedValue { $0.offset } }

    func write(_ parts: [ByteBuffer], on loop: any EventLoop) -> EventLoopFuture<Void> {
        loop.makeFutureWithTask { [self] in
            for part in parts {
                var part = part
                while part.readableBytes > 0 {
                    let isFull = try state.withLockedValue { state in
                        guard !state.isClosed else { throw BlobStoreError.missing }
                        let room = S3BlobStore.part - state.tail.count
                        guard let piece = part.readSlice(length: min(room, part.readableBytes)) else { return false }
                        if state.tail.isEmpty {
                            state.tail.reserveCapacity(min(S3BlobStore.part, blob.size - state.offset))
                        }
                        try state.digest?.update(piece.readableBytesUInt8Span)
                        state.tail += piece.readableBytesView
                        state.keptTail = nil
                        return state.tail.count == S3BlobStore.part
                    }
                    if isFull { try await keep() }
                }
            }
        }
    }

    func keep() async throws(BlobStoreError) {
        let (number, tail, isKept) = state.withLockedValue { ($0.parts.count + 1, $0.tail, $0.keptTail != nil) }
        guard !tail.isEmpty, !isKept else { return }
        let name = S3BlobNames.part(number, of: upload)
        let tag = try await store.service.put(name, tail)
        let object = S3Object(name: name, size: tail.count, tag: tag, changed: Timestamp(milliseconds: 0))
        state.withLockedValue { state in
            if object.size == S3BlobStore.part {
                state.parts.append(object)
                state.tail.removeAll(keepingCapacity: true)
            } else {
                state.keptTail = object
            }
        }
    }

    /// Checks the parts, and puts them together. A door that ends before leaves an upload that has all its bytes, which
    /// ``S3BlobStore/progress(of:_:)`` completes.
    func complete() async throws(BlobStoreError) {
        try await keep()
        let (parts, known) = state.withLockedValue { state in
            defer { state.digest = nil }
            return (state.all, state.digest)
        }
        let digest = if let known { known } else { try await read(parts) }
        guard try digest.finish() == blob.digest.bytes else {
            try await store.service.delete(parts.map(\.name))
            let fresh = try RunningDigest()
            state.withLockedValue { ($0.parts, $0.tail, $0.keptTail, $0.digest) = ([], [], nil, fresh) }
            throw .wrongDigest
        }
        let name = S3BlobNames.complete(blob.id)
        if let only = parts.first, parts.count == 1 {
            try await store.service.copy(only, to: name)
        } else {
            try await store.service.join(parts, as: name)
        }
        // The parts stay until the service has the whole, whatever it has answered.
        guard try await store.service.head(name)?.size == blob.size else {
            throw .failed(reason: "S3: what was put together is not there")
        }
        // What is left of it goes as an upload that nobody continues.
        try? await store.service.delete((0...parts.count).map { S3BlobNames.part($0, of: upload) })
    }

    /// The digest of what another door, or an earlier process, has written.
    private func read(_ parts: [S3Object]) async throws(BlobStoreError) -> RunningDigest {
        let digest = try RunningDigest()
        for part in parts {
            for start in stride(from: 0, to: part.size, by: 1 << 20) {
                let range = start..<min(part.size, start + (1 << 20))
                guard let bytes = try await store.service.get(part.name, range, tag: part.tag) else { throw .locked }
                try digest.update(bytes.span)
            }
        }
        return digest
    }

    func close() {
        let known = state.withLockedValue { state -> S3BlobStore.KnownDigest? in
            guard !state.isClosed else { return nil }
            let isKept = state.tail.isEmpty || state.keptTail != nil
            let known = isKept ? state.digest : nil
            let tags = state.all.map(\.tag)
            state = State(parts: [], tail: [], keptTail: nil, digest: nil, isClosed: true)
            return known.map { S3BlobStore.KnownDigest(tags: tags, digest: $0) }
        }
        if let known, !known.tags.isEmpty { store.digests.withLockedValue { $0[upload] = known } }
        // Last: the next writer finds the digest.
        _ = store.open.withLockedValue { $0.remove(upload) }
    }
}

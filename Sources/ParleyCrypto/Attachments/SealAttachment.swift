import OpenSSL
import Sodium

extension AttachmentCipher {
    /// Seals `source` to its end, with a new random key.
    ///
    /// - Parameters:
    ///   - source: called alternately with `sink`, on the caller's thread.
    ///   - sink: gets the header, then chunks of at most 65,553 bytes.
    /// - Returns: the seal for the message.
    /// - Throws: what the closures throw; `AttachmentError.wrongSize` beyond 1 TiB.
    public static func seal(
        from source: Source, to sink: Sink, progress: Progress = { _ in }
    ) throws -> AttachmentSeal {
        let key = try WipedBytes.random(count: SecretStream.keyLength)
        var encryptor = try key.withBytes { key in try SecretStream.Encryptor(key: key) }
        var hasher = try OpenSSL.SHA256.begin()
        try put(encryptor.header.span, to: sink, hasher: &hasher)

        // The last chunk is known only when nothing follows, so one is always read ahead.
        var current = [UInt8](repeating: 0, count: chunkLength)
        var next = [UInt8](repeating: 0, count: chunkLength)
        var sealed = [UInt8](repeating: 0, count: sealedChunkLength)
        defer {
            wipe(&current)
            wipe(&next)
        }
        let nothing: [UInt8] = []
        var size = 0
        var count = try current.fill(from: source)
        while true {
            let nextCount = count == chunkLength ? try next.fill(from: source) : 0
            let tag: SecretStream.Tag = nextCount == 0 ? .final : .message
            let sealedCount = count + SecretStream.chunkOverhead
            do {
                var output = sealed.mutableSpan
                try encryptor.seal(
                    current.span.extracting(0..<count), as: tag, additionalData: nothing.span, into: &output)
            }
            try put(sealed.span.extracting(0..<sealedCount), to: sink, hasher: &hasher)
            size += count
            guard size <= AttachmentSeal.maximumSize else { throw AttachmentError.wrongSize }
            try progress(size)
            guard tag == .message else { break }
            swap(&current, &next)
            count = nextCount
        }
        let keyBytes = key.withBytes { key in (0..<key.count).map { key[$0] } }
        return try AttachmentSeal(key: keyBytes, digest: hasher.finish(), size: size)
    }

    private static func put(_ bytes: Span<UInt8>, to sink: Sink, hasher: inout OpenSSL.SHA256) throws {
        try hasher.update(bytes)
        try sink(bytes)
    }
}

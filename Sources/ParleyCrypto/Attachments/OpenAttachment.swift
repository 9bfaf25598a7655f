import OpenSSL
import Sodium

extension AttachmentCipher {
    /// Opens what `source` gives until its end.
    ///
    /// What `sink` gets is the sender's, chunk by chunk, but **not known to be whole until this returns**: it must go
    /// where nobody takes it for the attachment before, and be thrown away if this throws. It is never more than the
    /// size that the message says.
    /// - Parameters:
    ///   - source: called in turns with `sink`, on the caller's thread.
    ///   - sink: gets chunks of at most 65,536 bytes.
    /// - Throws: `AttachmentError`; what the closures throw.
    public static func open(
        _ seal: AttachmentSeal, from source: Source, to sink: Sink, progress: Progress = { _ in }
    ) throws {
        var hasher = try OpenSSL.SHA256.begin()
        var header = [UInt8](repeating: 0, count: SecretStream.headerLength)
        guard try header.fill(from: source) == header.count else { throw AttachmentError.truncated }
        try hasher.update(header.span)
        var decryptor = try SecretStream.Decryptor(header: header.span, key: seal.key.span)

        var sealed = [UInt8](repeating: 0, count: sealedChunkLength)
        var opened = [UInt8](repeating: 0, count: chunkLength)
        defer { wipe(&opened) }
        let nothing: [UInt8] = []
        var size = 0
        while true {
            let sealedCount = try sealed.fill(from: source)
            guard sealedCount >= SecretStream.chunkOverhead else { throw AttachmentError.truncated }
            try hasher.update(sealed.span.extracting(0..<sealedCount))
            let count = sealedCount - SecretStream.chunkOverhead
            let tag: SecretStream.Tag
            do {
                var output = opened.mutableSpan
                tag = try decryptor.open(
                    sealed.span.extracting(0..<sealedCount), additionalData: nothing.span, into: &output)
            } catch {
                throw failure(ofChunk: count, at: size, of: seal)
            }
            size += count
            guard size <= seal.size else { throw AttachmentError.wrongSize }
            try sink(opened.span.extracting(0..<count))
            try progress(size)
            switch tag {
            case .final: break
            case .message where count == chunkLength: continue
            // A sender who has the key and chunks in another way.
            case .message, .push, .rekey: throw AttachmentError.notAuthentic
            }
            guard count > 0 || size == 0 else { throw AttachmentError.notAuthentic }
            break
        }
        // A last chunk that is not full has ended because `source` has.
        guard try header.fill(from: source) == 0 else { throw AttachmentError.trailingBytes }
        guard try hasher.finish() == seal.digest else { throw AttachmentError.wrongDigest }
        guard size == seal.size else { throw AttachmentError.wrongSize }
    }

    /// What a chunk is that does not open. To the cipher one that was cut off or added to is as little authentic as one
    /// that was changed; where it ends distinguishes them.
    private static func failure(ofChunk count: Int, at size: Int, of seal: AttachmentSeal) -> AttachmentError {
        if count < chunkLength, size + count < seal.size { return .truncated }
        return size + count > seal.size ? .trailingBytes : .notAuthentic
    }
}

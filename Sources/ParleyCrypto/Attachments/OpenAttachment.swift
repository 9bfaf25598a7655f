import OpenSSL
import Sodium

extension AttachmentCipher {
    /// Opens `source` to its end.
    ///
    /// The chunks that `sink` gets are authentic, but **not known to be complete until this returns**: keep them where
    /// they are not taken for the attachment, and delete them if this throws. They are never more than the size in the
    /// message.
    /// - Parameters:
    ///   - source: called alternately with `sink`, on the caller's thread.
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
            // Another implementation with the key could use other chunks.
            case .message, .push, .rekey: throw AttachmentError.notAuthentic
            }
            guard count > 0 || size == 0 else { throw AttachmentError.notAuthentic }
            break
        }
        // A short last chunk ended because `source` has.
        guard try header.fill(from: source) == 0 else { throw AttachmentError.trailingBytes }
        guard try hasher.finish() == seal.digest else { throw AttachmentError.wrongDigest }
        guard size == seal.size else { throw AttachmentError.wrongSize }
    }

    /// Why a chunk does not open. The cipher does not distinguish a truncated or extended chunk from a changed one; its
    /// end does.
    private static func failure(ofChunk count: Int, at size: Int, of seal: AttachmentSeal) -> AttachmentError {
        if count < chunkLength, size + count < seal.size { return .truncated }
        return size + count > seal.size ? .trailingBytes : .notAuthentic
    }
}

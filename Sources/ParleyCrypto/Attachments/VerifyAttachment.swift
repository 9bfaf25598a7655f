import OpenSSL

extension AttachmentCipher {
    /// Checks that `source` is the sealed attachment that a message names, to its last byte, without opening it.
    ///
    /// - Throws: `AttachmentError.truncated`, `.trailingBytes`, `.wrongDigest`; what the closures throw.
    public static func verify(_ seal: AttachmentSeal, from source: Source, progress: Progress = { _ in }) throws {
        var hasher = try OpenSSL.SHA256.begin()
        var part = [UInt8](repeating: 0, count: chunkLength)
        var size = 0
        while true {
            let count = try part.fill(from: source)
            try hasher.update(part.span.extracting(0..<count))
            size += count
            guard size <= seal.sealedSize else { throw AttachmentError.trailingBytes }
            try progress(size)
            if count < part.count { break }
        }
        guard size == seal.sealedSize else { throw AttachmentError.truncated }
        guard try hasher.finish() == seal.digest else { throw AttachmentError.wrongDigest }
    }
}

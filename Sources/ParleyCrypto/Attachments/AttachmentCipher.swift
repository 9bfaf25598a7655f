import Sodium

/// Seals and opens attachments of any size as streams, in constant memory.
///
/// A sealed attachment is the 24-byte header of libsodium's secretstream (XChaCha20-Poly1305), then its chunks. Each
/// chunk but the last seals exactly 65,536 bytes under the tag `message`; the last seals the rest under the tag
/// `final`, and is empty only for an empty attachment. A sealed chunk is 17 bytes longer, and nothing follows. The key
/// is used once; there is no associated data.
public enum AttachmentCipher {
    /// The plaintext bytes of a chunk: larger ones are no faster and take more memory.
    public static let chunkLength = 65_536
    static let sealedChunkLength = chunkLength + SecretStream.chunkOverhead

    /// Appends the next bytes, up to the free room; none at the end.
    public typealias Source = (inout OutputSpan<UInt8>) throws -> Void
    /// Takes the next bytes.
    public typealias Sink = (Span<UInt8>) throws -> Void
    /// Gets the number of finished bytes after each chunk; an error ends the work.
    public typealias Progress = (Int) throws -> Void
}

extension [UInt8] {
    /// Fills itself from `source`, which may give a few bytes at a time.
    ///
    /// - Returns: the number of bytes: less than the capacity only at the end.
    mutating func fill(from source: AttachmentCipher.Source) throws -> Int {
        try unsafe withUnsafeMutableBufferPointer { buffer in
            var target = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
            while !target.isFull {
                let count = target.count
                try source(&target)
                guard target.count > count else { break }
            }
            return unsafe target.finalize(for: buffer)
        }
    }
}

import Sodium

/// Seals and opens attachments of any size as they stream by, in constant memory.
///
/// A sealed attachment is the 24-byte header of libsodium's secretstream (XChaCha20-Poly1305), then its chunks. Each
/// chunk but the last seals exactly 65,536 bytes under the tag `message`; the last seals what is left, which is nothing
/// only of an attachment that is empty, under the tag `final`. A sealed chunk is 17 bytes longer and there are no other
/// bytes, so each attachment has one length. The key is used once; there is no additional data.
public enum AttachmentCipher {
    /// How many bytes a chunk seals: larger ones are no faster and take more memory.
    public static let chunkLength = 65_536
    static let sealedChunkLength = chunkLength + SecretStream.chunkOverhead

    /// Appends the next bytes, as many as there is room for or fewer; none at the end.
    public typealias Source = (inout OutputSpan<UInt8>) throws -> Void
    /// Takes the next bytes.
    public typealias Sink = (Span<UInt8>) throws -> Void
    /// Gets after each chunk how many bytes of the attachment are done; what it throws ends the work.
    public typealias Progress = (Int) throws -> Void
}

extension [UInt8] {
    /// Overwrites itself with what `source` gives, which may be a little at a time.
    ///
    /// - Returns: how many bytes there were: fewer than there is room for only at the end.
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

import CZlib

/// gzip (RFC 1952) of whole buffers.
package enum Gzip {
    /// Compresses at the highest level, which is for what is sent more often than it is made.
    ///
    /// - Returns: the compressed bytes; `nil` where they would not be fewer, or there is no memory for it.
    package static func compress(_ bytes: [UInt8]) -> [UInt8]? {
        guard let count = UInt32(exactly: bytes.count) else { return nil }
        var isDone = false
        let compressed = unsafe [UInt8](unsafeUninitializedCapacity: bytes.count) { result, length in
            var written = count
            let status = unsafe bytes.withUnsafeBufferPointer { source in
                unsafe parley_gzip(source.baseAddress, count, result.baseAddress, &written)
            }
            isDone = status == Z_OK
            length = isDone ? Int(written) : 0
        }
        return isDone && compressed.count < bytes.count ? compressed : nil
    }
}

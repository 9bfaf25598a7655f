import OpenSSL
import ParleyProtocol
import Platform

/// The bytes of a large file: one random piece again and again, whose length shares no factor with those of buffers.
struct BlobContent: Sendable {
    let count: Int
    let digest: [UInt8]
    private let piece: [UInt8]

    init(bytes: Int) throws {
        var random = SystemRandomNumberGenerator()
        let piece = (0..<1_000_003).map { _ in UInt8.random(in: 0 ... .max, using: &random) }
        count = bytes
        var hash = try SHA256.begin()
        var left = bytes
        while left > 0 {
            try hash.update(piece.span.extracting(first: min(left, piece.count)))
            left -= piece.count
        }
        digest = try hash.finish()
        self.piece = piece
    }

    /// Sends bytes from an offset on, as many as are taken and no more than up to `end`.
    ///
    /// - Returns: how many.
    func send(from offset: Int, to end: Int, on descriptor: Int32) throws(SystemError) -> Int {
        let start = offset % piece.count
        let most = min(end - offset, piece.count - start)
        let sent = unsafe piece.withUnsafeBytes { bytes in
            unsafe Platform.send(descriptor, bytes.baseAddress?.advanced(by: start), most, Int32(MSG_NOSIGNAL))
        }
        guard sent >= 0 else { throw SystemError(call: "send", errno: errno) }
        return sent
    }

    /// Whether the first bytes of a buffer are those from an offset on.
    func matches(_ buffer: borrowing [UInt8], _ range: Range<Int>, at offset: Int) -> Bool {
        var (position, offset) = (range.lowerBound, offset)
        while position < range.upperBound {
            let start = offset % piece.count
            let count = min(range.upperBound - position, piece.count - start)
            let isEqual = unsafe buffer.withUnsafeBytes { bytes in
                unsafe piece.withUnsafeBytes { piece in
                    guard let bytes = bytes.baseAddress, let piece = piece.baseAddress else {
                        return false
                    }
                    return unsafe memcmp(bytes + position, piece + start, count) == 0
                }
            }
            guard isEqual else { return false }
            position += count
            offset += count
        }
        return true
    }
}

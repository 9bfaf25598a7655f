import CZlib

/// Decompresses a zlib stream (RFC 1950) that comes in parts, into no more room than its caller gives it.
///
/// Beside that room it holds some 40 KiB, whatever the stream says.
@safe package struct Inflater: ~Copyable {
    /// zlib remembers where it lies.
    private let stream: UnsafeMutablePointer<z_stream>
    /// Whether the stream has ended, and its checksum was right.
    package private(set) var isAtEnd = false

    /// `inflateInit`
    package init() throws(InflateError) {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        guard unsafe parley_inflate_begin(stream) == Z_OK else {
            unsafe stream.deallocate()
            throw .noMemory
        }
        unsafe self.stream = stream
    }

    /// `inflateEnd`
    deinit {
        _ = unsafe inflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Decompresses as much as there is room for (`inflate`).
    ///
    /// - Parameters:
    ///   - input: the next part of the stream; what was read of it is removed.
    ///   - output: the room, not empty.
    ///   - start: where in it the first byte goes.
    /// - Returns: the index behind the last byte; where that is not the end of the room, the input is used up or the
    ///   stream has ended.
    package mutating func inflate(
        _ input: inout ArraySlice<UInt8>, into output: inout [UInt8], from start: Int
    ) throws(InflateError) -> Int {
        guard !isAtEnd, output.indices.contains(start) else { return start }
        let (given, room) = (UInt32(clamping: input.count), UInt32(clamping: output.count - start))
        let stream = unsafe self.stream
        let status = unsafe input.withUnsafeBufferPointer { source in
            unsafe output.withUnsafeMutableBufferPointer { target in
                unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
                unsafe stream.pointee.avail_in = given
                unsafe stream.pointee.next_out = target.baseAddress.map { unsafe $0 + start }
                unsafe stream.pointee.avail_out = room
                return unsafe CZlib.inflate(stream, Z_NO_FLUSH)
            }
        }
        let (read, written) = unsafe (given - stream.pointee.avail_in, room - stream.pointee.avail_out)
        input.removeFirst(Int(read))
        switch status {
        case Z_STREAM_END: isAtEnd = true
        // Without progress it asks for more input.
        case Z_OK, Z_BUF_ERROR: break
        case Z_MEM_ERROR: throw .noMemory
        default: throw .damaged
        }
        return start + Int(written)
    }
}

/// Why a stream cannot be decompressed.
package enum InflateError: Error, Hashable {
    /// It is no zlib stream, or not the one that its checksum is of.
    case damaged
    case noMemory
}

/// The checksum of gzip, PNG and others (ISO 3309).
package enum CRC32 {
    /// `crc32`, of at most 4 GiB.
    package static func of(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        let checksum = unsafe bytes.withUnsafeBufferPointer { source in
            unsafe crc32(0, source.baseAddress, UInt32(clamping: source.count))
        }
        return UInt32(truncatingIfNeeded: checksum)
    }
}

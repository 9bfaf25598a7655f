import Platform

extension Files {
    /// `read` of standard input until its end; more than `maximum` bytes is `EFBIG`.
    package static func readStandardInput(maximum: Int) throws(FileError) -> [UInt8] {
        try read(STDIN_FILENO, named: "standard input", expecting: 1 << 16, maximum: maximum)
    }

    /// `open`, `fstat`, `read`: a whole file of at most `maximum` bytes; more is `EFBIG`.
    package static func read(_ path: String, maximum: Int) throws(FileError) -> FileContents {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError(call: "open", path: path, errno: errno) }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw FileError(call: "fstat", path: path, errno: errno) }
        let size = Int(exactly: status.st_size) ?? .max
        guard size <= maximum else { throw FileError(call: "read", path: path, errno: EFBIG) }
        let bytes = try read(descriptor, named: path, expecting: size, maximum: maximum)
        return FileContents(bytes: bytes, mode: UInt32(status.st_mode), identity: FileIdentity(status))
    }

    /// `read` until the end. A content no longer than `expecting` is read into one buffer without a copy.
    private static func read(
        _ descriptor: Int32, named path: String, expecting: Int, maximum: Int
    ) throws(FileError) -> [UInt8] {
        // One more than expected, so that the end shows without another buffer.
        var bytes = try readChunk(descriptor, named: path, count: min(expecting, maximum) + 1)
        var isAtEnd = bytes.count <= min(expecting, maximum)
        while !isAtEnd, bytes.count <= maximum {
            let wanted = min(maximum + 1 - bytes.count, 1 << 16)
            let chunk = try readChunk(descriptor, named: path, count: wanted)
            bytes += chunk
            isAtEnd = chunk.count < wanted
        }
        guard isAtEnd else { throw FileError(call: "read", path: path, errno: EFBIG) }
        return bytes
    }

    /// `read` until there are `count` bytes, or the end.
    private static func readChunk(
        _ descriptor: Int32, named path: String, count wanted: Int
    ) throws(FileError) -> [UInt8] {
        var failure: Int32 = 0
        let chunk = unsafe [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
            while count < wanted {
                let rest = unsafe buffer.baseAddress.map { unsafe $0 + count }
                let result = unsafe Platform.read(descriptor, rest, wanted - count)
                if result < 0, errno == EINTR { continue }
                if result < 0 { failure = errno }
                guard result > 0 else { return }
                count += result
            }
        }
        guard failure == 0 else { throw FileError(call: "read", path: path, errno: failure) }
        return chunk
    }
}

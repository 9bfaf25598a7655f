/// Standard error of the process.
package enum StandardError {
    /// `write` of all bytes, in one call where the system takes them so. Failures are ignored.
    package static func write(_ bytes: [UInt8]) { writeAll(bytes, to: STDERR_FILENO) }
}

/// Standard output of the process.
package enum StandardOutput {
    /// `write` of all bytes, in one call where the system takes them so. Failures are ignored.
    package static func write(_ bytes: [UInt8]) { writeAll(bytes, to: STDOUT_FILENO) }
}

/// Standard input of the process.
package enum StandardInput {
    /// `read`: waits until there is something.
    ///
    /// - Returns: at most `maximum` bytes; none at the end.
    package static func read(maximum: Int) throws(SystemError) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: maximum) { buffer, count in
            var result: Int
            repeat {
                result = unsafe Platform.read(STDIN_FILENO, buffer.baseAddress, maximum)
            } while result < 0 && errno == EINTR
            failure = result < 0 ? errno : 0
            count = max(result, 0)
        }
        guard failure == 0 else { throw SystemError(call: "read", errno: failure) }
        return bytes
    }
}

private func writeAll(_ bytes: [UInt8], to descriptor: Int32) {
    var written = 0
    while written < bytes.count {
        let count = unsafe bytes.withUnsafeBytes { buffer in
            unsafe write(descriptor, buffer.baseAddress.map { unsafe $0 + written }, buffer.count - written)
        }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        written += count
    }
}

/// Standard error of the process.
package enum StandardError {
    /// `write` of all bytes, in one call where the system takes them so. Failures are ignored.
    package static func write(_ bytes: [UInt8]) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Platform.write(
                    STDERR_FILENO, buffer.baseAddress.map { unsafe $0 + written }, buffer.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            written += count
        }
    }
}

import Platform

/// A file of which a few bytes are overwritten in place, again and again. It is not synced: a killed process leaves the
/// old bytes or the new ones, and a power cut perhaps earlier ones.
package final class PatchedFile: Sendable {
    private let descriptor: Int32
    private let path: String

    /// `open` of a file that exists.
    package init(_ path: String) throws(FileError) {
        self.path = path
        descriptor = unsafe open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError(call: "open", path: path, errno: errno) }
    }

    deinit { close(descriptor) }

    /// `pwrite`.
    package func overwrite(_ bytes: [UInt8], at offset: Int) throws(FileError) {
        let (count, failure) = unsafe bytes.withUnsafeBufferPointer { buffer in
            (unsafe pwrite(descriptor, buffer.baseAddress, buffer.count, off_t(offset)), errno)
        }
        guard count == bytes.count else {
            throw FileError(call: "pwrite", path: path, errno: count < 0 ? failure : ENOSPC)
        }
    }
}

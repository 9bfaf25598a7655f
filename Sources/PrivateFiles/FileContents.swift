import Platform

/// A file as it was when it was read.
package struct FileContents: Sendable {
    /// The only copy that reading has made: whoever wipes it has wiped all of it.
    package var bytes: [UInt8]
    /// Its kind and permissions (`st_mode`).
    package let mode: UInt32
    package let identity: FileIdentity

    /// Whether anybody but its owner may read, write or execute it.
    package var isOpenToOthers: Bool { mode & 0o077 != 0 }
}

/// What tells one content of a file from the next, where each is put in place whole: another file has been given the
/// name when this has changed.
///
/// Two replacements within one tick of the file system's clock that reuse an inode look like none: good for noticing
/// what somebody else has done, not for deciding whether a change may be based on what was read before.
package struct FileIdentity: Hashable, Sendable {
    private let volume: dev_t
    private let inode: ino_t
    private let size: off_t
    private let seconds: time_t
    private let nanoseconds: Int

    init(_ status: stat) {
        volume = status.st_dev
        inode = status.st_ino
        size = status.st_size
        seconds = status.contentChanged.tv_sec
        nanoseconds = status.contentChanged.tv_nsec
    }
}

import Platform

/// A file as it was read.
package struct FileContents: Sendable {
    /// The only copy: wiping it wipes everything that was read.
    package var bytes: [UInt8]
    /// Its kind and permissions (`st_mode`).
    package let mode: UInt32
    package let identity: FileIdentity

    /// Whether anybody but its owner may read, write or execute it.
    package var isOpenToOthers: Bool { mode & 0o077 != 0 }
}

/// Identifies the content of a file that is always replaced as a whole: it changes when another file takes the name.
///
/// Two replacements within one tick of the file system's clock that reuse an inode are not told apart: use it to notice
/// the changes of others, not to base a change on earlier content.
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

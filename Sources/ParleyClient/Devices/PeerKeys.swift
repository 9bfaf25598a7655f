import ParleyCrypto
import ParleyProtocol
import PrivateFiles
import Sodium

/// A device's book of other devices' keys, kept on its disk and shared by all processes of the device.
///
/// Every change is made to what is on the disk at that moment, under a lock, and is there before it counts.
package struct PeerKeys: Sendable {
    /// What is trusted, as of the last change or ``refresh()``.
    package private(set) var book: PeerKeyBook
    private let file: PeerKeysFile
    /// Which content of the file `book` is; `nil` before there is one.
    private var identity: FileIdentity?

    /// Reads what is there.
    package init(in directory: DeviceDirectory, storageKey: SecretBytes) throws(PeerKeysError) {
        file = try PeerKeysFile(in: directory, storageKey: storageKey)
        book = PeerKeyBook(of: directory.device)
        _ = try reread()
    }

    /// Takes what another process has changed, such as `parley accept-key` beside a running chat. Costs one `stat`
    /// where nothing was.
    package mutating func refresh() throws(PeerKeysError) -> [PeerKeyNotice] {
        guard try file.identity() != identity else { return [] }
        return try reread()
    }

    /// ``PeerKeyBook/update(_:with:now:)``, kept.
    package mutating func update(
        _ user: UserID, with listing: [DeviceKeys], now: Timestamp
    ) throws(PeerKeysError) -> [PeerKeyNotice] {
        try change { book in book.update(user, with: listing, now: now) }
    }

    /// ``PeerKeyBook/accept(_:)``, kept.
    package mutating func accept(_ user: UserID) throws(PeerKeysError) -> [PeerKeyNotice] {
        try change { book in book.accept(user) }
    }

    private mutating func change(
        _ body: (inout PeerKeyBook) -> [PeerKeyNotice]
    ) throws(PeerKeysError) -> [PeerKeyNotice] {
        let lock = try file.lock()
        defer { lock.release() }
        var notices = try reread()
        var changed = book
        notices += body(&changed)
        guard changed != book else { return notices }
        try file.write(changed, holding: lock)
        book = changed
        identity = try file.identity()
        return notices
    }

    /// A file that is gone is not taken for one that knows nobody: what was read before still counts, and is there
    /// again with the next change.
    private mutating func reread() throws(PeerKeysError) -> [PeerKeyNotice] {
        guard let current = try file.read() else { return [] }
        let notices = current.book.notices(since: book)
        (book, identity) = current
        return notices
    }
}

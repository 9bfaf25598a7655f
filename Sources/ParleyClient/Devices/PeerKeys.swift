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

    /// ``PeerKeyBook/update(with:)``, kept.
    package mutating func update(with listing: UserKeys) throws(PeerKeysError) -> [PeerKeyNotice] {
        try change { book in book.update(with: listing) }
    }

    /// ``PeerKeyBook/adoptOwn(_:)``, kept.
    package mutating func adoptOwn(_ account: AccountKey) throws(PeerKeysError) -> [PeerKeyNotice] {
        guard book.accountKey(of: book.owner.user) != account else { return [] }
        return try change { book in book.adoptOwn(account) }
    }

    /// ``PeerKeyBook/accept(_:)``, kept: as things stand in the file, not here.
    ///
    /// - Returns: what has happened, by others meanwhile too; and why nothing was accepted, if so.
    package mutating func accept(
        _ shown: ShownKeys
    ) throws(PeerKeysError) -> (notices: [PeerKeyNotice], refusal: KeyAcceptanceError?) {
        try changeIfAccepted { book throws(KeyAcceptanceError) in try book.accept(shown) }
    }

    /// ``PeerKeyBook/verify(_:)``, kept.
    package mutating func verify(
        _ shown: ShownKeys
    ) throws(PeerKeysError) -> (notices: [PeerKeyNotice], refusal: KeyAcceptanceError?) {
        try changeIfAccepted { book throws(KeyAcceptanceError) in try book.verify(shown) }
    }

    private mutating func changeIfAccepted(
        _ body: (inout PeerKeyBook) throws(KeyAcceptanceError) -> [PeerKeyNotice]
    ) throws(PeerKeysError) -> (notices: [PeerKeyNotice], refusal: KeyAcceptanceError?) {
        var refusal: KeyAcceptanceError?
        let notices = try change { book in
            do throws(KeyAcceptanceError) {
                return try body(&book)
            } catch {
                refusal = error
                return []
            }
        }
        return (notices, refusal)
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

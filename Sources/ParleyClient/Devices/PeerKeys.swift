import ParleyCrypto
import ParleyProtocol
import PrivateFiles
import Sodium

/// A device's key book on disk, shared by its processes.
///
/// Every change is applied under a lock to the book on disk, and is saved before it counts.
package struct PeerKeys: Sendable {
    /// The book as of the last change or ``refresh()``.
    package private(set) var book: PeerKeyBook
    private let file: PeerKeysFile
    /// The version of the file that `book` was read from; `nil` before there is one.
    private var identity: FileIdentity?

    package init(in directory: DeviceDirectory, storageKey: SecretBytes) throws(PeerKeysError) {
        file = try PeerKeysFile(in: directory, storageKey: storageKey)
        book = PeerKeyBook(of: directory.device)
        _ = try reread()
    }

    /// Merges changes of another process, such as `parley accept-key` beside a running chat. Costs one `stat` if there
    /// are none.
    package mutating func refresh() throws(PeerKeysError) -> [PeerKeyNotice] {
        guard try file.identity() != identity else { return [] }
        return try reread()
    }

    /// ``PeerKeyBook/update(with:)``, saved.
    package mutating func update(with listing: UserKeys) throws(PeerKeysError) -> [PeerKeyNotice] {
        try change { book in book.update(with: listing) }
    }

    /// ``PeerKeyBook/adoptOwn(_:)``, saved.
    package mutating func adoptOwn(_ account: AccountKey) throws(PeerKeysError) -> [PeerKeyNotice] {
        guard book.accountKey(of: book.owner.user) != account else { return [] }
        return try change { book in book.adoptOwn(account) }
    }

    /// ``PeerKeyBook/accept(_:isCompared:)`` on the book that the file holds now, saved.
    ///
    /// - Returns: what has changed, by other processes too; and why nothing was accepted, if so.
    package mutating func accept(
        _ shown: ShownKeys, isCompared: Bool = false
    ) throws(PeerKeysError) -> (notices: [PeerKeyNotice], refusal: KeyAcceptanceError?) {
        var refusal: KeyAcceptanceError?
        let notices = try change { book in
            do throws(KeyAcceptanceError) {
                return try book.accept(shown, isCompared: isCompared)
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

    /// A missing file is not an empty book: the one in memory still counts, and is saved with the next change.
    private mutating func reread() throws(PeerKeysError) -> [PeerKeyNotice] {
        guard let current = try file.read() else { return [] }
        let notices = current.book.notices(since: book)
        (book, identity) = current
        return notices
    }
}

/// The file `peers` of a device's directory: its key book, sealed, so that only a process with the device's keys can
/// replace a pinned key.
///
///     PARLEYPK, version (2; 1 is read on), nonce (24), the book sealed with XChaCha20-Poly1305
///
/// The key is BLAKE2b-256 of a label, keyed with the device's storage key; the bytes before the nonce and the device's
/// address are associated data.
struct PeerKeysFile: Sendable {
    private static let magic = Array("PARLEYPK".utf8)
    private static let version = PeerKeyBook.codingVersion
    private static let label = Array("parley/v1 peers".utf8)
    private static let nonceLength = XChaCha20Poly1305.nonceLength
    /// Some 30,000 devices.
    private static let maximumLength = 1 << 24

    private let directory: DeviceDirectory
    private let key: SecretBytes

    init(in directory: DeviceDirectory, storageKey: SecretBytes) throws(PeerKeysError) {
        self.directory = directory
        do throws(SodiumError) {
            var derived = try storageKey.withBytes { (key) throws(SodiumError) in
                try BLAKE2b.hash(PeerKeysFile.label.span, length: .bytes32, key: key)
            }
            defer { wipe(&derived) }
            key = try SecretBytes(copying: derived.span)
        } catch {
            throw .noResources
        }
    }

    func lock() throws(PeerKeysError) -> FileLock {
        do throws(FileError) {
            try directory.make()
            return try FileLock(waitingFor: directory.peersPath + ".lock")
        } catch {
            throw .file(error)
        }
    }

    /// `nil` if there is no file.
    func identity() throws(PeerKeysError) -> FileIdentity? {
        do throws(FileError) { return try Files.identity(of: directory.peersPath) } catch { throw .file(error) }
    }

    /// - Returns: `nil` if there is no file.
    func read() throws(PeerKeysError) -> (book: PeerKeyBook, identity: FileIdentity)? {
        let path = directory.peersPath
        let file: FileContents
        do throws(FileError) {
            file = try Files.read(path, maximum: PeerKeysFile.maximumLength)
        } catch {
            guard !error.isMissing else { return nil }
            throw error.isTooLarge ? .tooLarge(path: path) : .file(error)
        }
        guard !file.isOpenToOthers else { throw .readableByOthers(path: path) }
        return (try open(file.bytes), file.identity)
    }

    func write(_ book: PeerKeyBook, holding lock: FileLock) throws(PeerKeysError) {
        let file = try seal(book)
        guard file.count <= PeerKeysFile.maximumLength else { throw .tooLarge(path: directory.peersPath) }
        do throws(FileError) {
            try Files.replace(DeviceDirectory.peersName, in: directory.path, with: file, holding: lock)
        } catch {
            throw .file(error)
        }
    }

    // MARK: The form

    private func additionalData(_ header: some Sequence<UInt8>) -> [UInt8] {
        var data = ByteWriter()
        data.bytes(header)
        data.address(directory.device)
        return data.bytes
    }

    private func seal(_ book: PeerKeyBook) throws(PeerKeysError) -> [UInt8] {
        let header = PeerKeysFile.magic + [PeerKeysFile.version]
        let (data, content) = (additionalData(header), book.encoded)
        do throws(SodiumError) {
            let nonce = try RandomBytes.make(count: PeerKeysFile.nonceLength)
            let sealed = try key.withBytes { (key) throws(SodiumError) in
                try XChaCha20Poly1305.seal(content.span, nonce: nonce.span, additionalData: data.span, key: key)
            }
            return header + nonce + sealed
        } catch {
            throw .noResources
        }
    }

    private func open(_ file: [UInt8]) throws(PeerKeysError) -> PeerKeyBook {
        let path = directory.peersPath
        let headerLength = PeerKeysFile.magic.count + 1
        guard file.count >= headerLength + PeerKeysFile.nonceLength, file.starts(with: PeerKeysFile.magic) else {
            throw .corrupt(path: path)
        }
        let version = file[headerLength - 1]
        guard version <= PeerKeysFile.version else { throw .newerVersion(path: path, version: version) }
        let data = additionalData(file.prefix(headerLength))
        let sealedFrom = headerLength + PeerKeysFile.nonceLength
        let content: [UInt8]
        do throws(SodiumError) {
            content = try key.withBytes { (key) throws(SodiumError) in
                try XChaCha20Poly1305.open(
                    file.span.extracting(sealedFrom...), nonce: file.span.extracting(headerLength..<sealedFrom),
                    additionalData: data.span, key: key)
            }
        } catch {
            throw error == .notAuthentic ? .corrupt(path: path) : .noResources
        }
        guard version >= 1, let book = PeerKeyBook(parsing: content, version: version, of: directory.device) else {
            throw .corrupt(path: path)
        }
        return book
    }
}

/// Why the key book cannot be read or written. The file is left as it is.
public enum PeerKeysError: Error, Hashable, Sendable, CustomStringConvertible {
    case file(FileError)
    case readableByOthers(path: String)
    /// Truncated, changed, or sealed by another device's keys.
    case corrupt(path: String)
    case newerVersion(path: String, version: UInt8)
    case tooLarge(path: String)
    /// The system refused randomness or memory.
    case noResources

    public var description: String {
        switch self {
        case .file(let error): error.description
        case .readableByOthers(let path):
            "\(path) can be read by others than its owner; correct it with: chmod 600 \(path)"
        case .corrupt(let path):
            "\(path) was damaged, or is not this device's: which keys of others were trusted cannot be told"
        case .newerVersion(let path, let version):
            "\(path) has the format \(version), which this version does not know"
        case .tooLarge(let path): "\(path) is larger than what can be known of others' keys"
        case .noResources: "no randomness or memory to protect what is known of others' keys"
        }
    }
}

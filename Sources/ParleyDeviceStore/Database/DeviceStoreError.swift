/// Why a device's database cannot be used. No case carries content.
public enum DeviceStoreError: Error, Hashable, Sendable {
    /// It is open already, in this process or another.
    case inUse(path: String)
    /// It was written with another key or for another device, or the row that shows it was changed. Nothing was
    /// touched.
    case wrongKey(path: String)
    /// It is no database of this library, or a damaged one. Nothing was deleted: messages can be fetched again, and
    /// `MessagingClient.recoverStorage` saves what waits to be sent.
    case damaged(path: String)
    /// A newer version of this library wrote it; `version` is that version's step of the schema.
    case tooNew(path: String, version: String)
    /// An older version of this library wrote it, and it is only read here: the next client that opens it brings it up
    /// to date. `version` is the last step of the schema that it has.
    case tooOld(path: String, version: String)
    /// The database does not sync to disk as it must; says which setting.
    case notDurable(setting: String)
    /// The system refused: full disk, missing rights. SQLite's primary result code and its message.
    case sqlite(code: Int32, message: String)
}

extension DeviceStoreError {
    /// Whether a new database in its place is the remedy, as `MessagingClient.recoverStorage` makes it.
    public var isDamage: Bool {
        switch self {
        case .damaged, .wrongKey: true
        case .inUse, .tooNew, .tooOld, .notDurable, .sqlite: false
        }
    }
}

extension DeviceStoreError: CustomStringConvertible {
    /// A sentence for people.
    public var description: String {
        switch self {
        case .inUse(let path): "\(path) is in use by another process of this device"
        case .wrongKey(let path): "\(path) was written with another key, or for another device"
        case .damaged(let path): "\(path) is damaged, or is no database of Parley's"
        case .tooNew(let path, let version):
            "\(path) was written by a newer version of Parley (its schema is at step \(version))"
        case .tooOld(let path, let version):
            "\(path) was written by an older version of Parley (its schema is at step \(version)), and is brought up to date "
                + "when its messages are next opened"
        case .notDurable(let setting): "the database does not sync to disk as it must: \(setting)"
        case .sqlite(let code, let message): "the database could not be read or written: \(message) (\(code))"
        }
    }
}

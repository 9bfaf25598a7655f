/// Why a device's database cannot be used. No case carries content.
public enum DeviceStoreError: Error, Hashable, Sendable {
    case inUse(path: String)
    /// Written with another key or for another device, or the row that proves the key was changed. The file is
    /// untouched.
    case wrongKey(path: String)
    /// Damaged, or no database of this library. Nothing was deleted: messages can be fetched again, and
    /// `MessagingClient.recoverStorage` saves unsent ones.
    case damaged(path: String)
    /// Written by a newer version of this library; `version` is its schema step.
    case tooNew(path: String, version: String)
    /// Written by an older version of this library, and only opened to read: the next client migrates it. `version` is
    /// its last schema step.
    case tooOld(path: String, version: String)
    /// The database does not sync to disk, because of this setting.
    case notDurable(setting: String)
    /// The system refused, as with a full disk. SQLite's primary result code and its message.
    case sqlite(code: Int32, message: String)
}

extension DeviceStoreError {
    /// Whether the database has to be replaced: `MessagingClient.recoverStorage`.
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

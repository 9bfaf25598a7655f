/// Why a device's database cannot be used. No case carries content.
public enum DeviceStoreError: Error, Hashable, Sendable {
    /// Another process has it open.
    case inUse(path: String)
    /// It was written with another key, or what it holds was changed.
    case wrongKey(path: String)
    /// It is no database, or a damaged one.
    case damaged(path: String)
    /// A newer version of this library wrote it.
    case tooNew(path: String, version: String)
    /// The system refused: full disk, missing rights. SQLite's primary result code and its message.
    case sqlite(code: Int32, message: String)
}

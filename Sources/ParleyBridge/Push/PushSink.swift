import Foundation
import Logging
import ParleyProtocol

/// Writes each notification as a line of JSON to a file or standard output, for development. Confined to the thread of
/// pushes.
struct PushSink {
    private let file: FileHandle

    /// - Parameter name: the setting `push_sink`: a path, below the data directory where it is relative, or `-`.
    /// - Returns: `nil` for no name, and for a file that cannot be opened, which is logged.
    init?(_ name: String, in directory: DataDirectory, logger: Logger) {
        guard !name.isEmpty else { return nil }
        guard name != "-" else {
            file = .standardOutput
            return
        }
        let path = name.hasPrefix("/") ? name : "\(directory.path)/\(name)"
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(
                atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
        }
        guard let file = FileHandle(forWritingAtPath: path) else {
            logger.error("the file of the setting push_sink cannot be written", metadata: ["path": "\(path)"])
            return nil
        }
        _ = try? file.seekToEnd()
        self.file = file
    }

    func write(_ notifications: [PushNotification]) {
        var lines: [UInt8] = []
        for notification in notifications {
            lines += notification.json(fitting: PushNotification.bytes)
            lines.append(UInt8(ascii: "\n"))
        }
        try? file.write(contentsOf: Data(lines))
    }
}

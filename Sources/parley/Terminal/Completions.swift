import ArgumentParser
import ParleyProtocol
import PrivateFiles

/// What a shell offers where a user or a device is asked for: those whose credentials are in the data directory.
enum Completions {
    static let users = CompletionKind.custom { words, _, _ in
        Array(Set(devices(in: dataDirectory(words)).map { "\($0.user)" })).sorted()
    }

    static let devices = CompletionKind.custom { words, _, _ in
        devices(in: dataDirectory(words)).map { "\($0)" }.sorted()
    }

    /// Of the command line as far as it is written, or of the environment, as ``CommonOptions/gateway``.
    static func dataDirectory(_ words: [String]) -> String {
        if let index = words.lastIndex(of: "--data"), index + 1 < words.count { return words[index + 1] }
        let assignment = "--data="
        if let word = words.last(where: { $0.hasPrefix(assignment) }) {
            return String(word.dropFirst(assignment.count))
        }
        return Environment["PARLEY_DATA"] ?? "./data"
    }

    /// None where the directory cannot be read.
    static func devices(in data: String) -> [DeviceAddress] {
        let directory = "\(data)/\(DataDirectoryLayout.devices)"
        return names(in: directory).compactMap { UserID($0) }.flatMap { user in
            names(in: "\(directory)/\(user)").compactMap { DeviceID($0) }
                .map { DeviceAddress(user: user, device: $0) }
        }
    }

    private static func names(in directory: String) -> [String] { (try? Files.names(in: directory)) ?? [] }
}

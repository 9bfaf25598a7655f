import ArgumentParser
import ParleyProtocol

/// What a shell offers where a user or a device is asked for: those whose credentials are in the data directory.
enum Completions {
    static let users = CompletionKind.custom { words, _, _ in
        Array(Set(devices(in: dataDirectory(words)).map { "\($0.user)" })).sorted()
    }

    static let devices = CompletionKind.custom { words, _, _ in
        devices(in: dataDirectory(words)).map { "\($0)" }
    }

    /// Of the command line as far as it is written, or else as for ``CommonOptions/gateway``.
    static func dataDirectory(_ words: [String]) -> String {
        if let index = words.lastIndex(of: "--data"), index + 1 < words.count { return words[index + 1] }
        let assignment = "--data="
        if let word = words.last(where: { $0.hasPrefix(assignment) }) {
            return String(word.dropFirst(assignment.count))
        }
        return DataDirectoryOfPerson.path { Environment[$0] }
    }

    static func devices(in data: String) -> [DeviceAddress] { LocalGateway(path: data, timeout: .zero).keptDevices }
}

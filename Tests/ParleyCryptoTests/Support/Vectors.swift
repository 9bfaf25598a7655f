import Foundation
import Testing

/// A file of public test vectors in the folder that `PARLEY_VECTORS` names.
///
/// Without the folder a test says that it skipped; under CI (`CI=true`) its absence is a failure.
enum Vectors {
    static func json(_ path: String) throws -> [String: Any]? {
        guard let data = try data(path) else { return nil }
        return try JSONSerialization.jsonObject(with: data) as? [String: Any]
    }

    /// Every case of every group of a Wycheproof file, with its group's own fields.
    static func wycheproofCases(_ file: [String: Any]) throws -> [(group: [String: Any], test: [String: Any])] {
        try #require(file["testGroups"] as? [[String: Any]]).flatMap { group in
            (group["tests"] as? [[String: Any]] ?? []).map { (group, $0) }
        }
    }

    /// The cases of a file of `NAME = value` lines: each begins at a line of the name `first`. Values in brackets above
    /// hold for all cases below.
    static func cases(_ path: String, first: String) throws -> [[String: String]]? {
        guard let data = try data(path) else { return nil }
        var shared: [String: String] = [:]
        var cases: [[String: String]] = []
        for line in String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline) {
            let isShared = line.hasPrefix("[")
            let parts = line.trimmingCharacters(in: CharacterSet(charactersIn: "[] ")).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard !line.hasPrefix("#"), parts.count == 2 else { continue }
            let (name, value) = (
                parts[0].trimmingCharacters(in: .whitespaces), parts[1].trimmingCharacters(in: .whitespaces)
            )
            if isShared {
                shared[name] = value
            } else if name == first {
                cases.append(shared.merging([name: value]) { $1 })
            } else if !cases.isEmpty {
                cases[cases.count - 1][name] = value
            }
        }
        return cases
    }

    private static func data(_ path: String) throws -> Data? {
        let environment = ProcessInfo.processInfo.environment
        guard let folder = environment["PARLEY_VECTORS"] else {
            print("skipped: 1 file of test vectors (\(path)): PARLEY_VECTORS is not set")
            #expect(environment["CI"] != "true", "PARLEY_VECTORS must be set where CI=true")
            return nil
        }
        return try Data(contentsOf: URL(filePath: folder).appending(path: path))
    }
}

/// Bytes from hexadecimal digits; spaces are ignored.
func hex(_ text: String) -> [UInt8] {
    let digits = text.utf8.filter { $0 != UInt8(ascii: " ") }.compactMap { UInt8(String(UnicodeScalar($0)), radix: 16) }
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

/// The bytes that a field of a vector holds as hexadecimal digits.
func hex(_ fields: [String: Any], _ name: String) throws -> [UInt8] {
    hex(try #require(fields[name] as? String, "no \(name)"))
}

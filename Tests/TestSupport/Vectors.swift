import Foundation
import Synchronization
import Testing

/// The public test vectors, in the folder that `PARLEY_VECTORS` names.
///
/// Where it is not set, a test says that it skipped and how many have by now; under CI (`CI=true`) that is a failure.
package enum Vectors {
    private static let skipped = Atomic<Int>(0)

    package static func folder(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) -> URL? {
        let environment = ProcessInfo.processInfo.environment
        guard let root = environment["PARLEY_VECTORS"], !root.isEmpty else {
            let count = skipped.wrappingAdd(1, ordering: .relaxed).newValue
            print("skipped (\(count) by now): the test vectors \(path): PARLEY_VECTORS is not set")
            #expect(
                environment["CI"] != "true", "PARLEY_VECTORS must be set where CI=true",
                sourceLocation: sourceLocation)
            return nil
        }
        return URL(filePath: root).appending(path: path)
    }

    package static func data(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> Data? {
        try folder(path, sourceLocation: sourceLocation).map { try Data(contentsOf: $0) }
    }

    package static func json(
        _ path: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> [String: Any]? {
        try data(path, sourceLocation: sourceLocation).flatMap {
            try JSONSerialization.jsonObject(with: $0) as? [String: Any]
        }
    }

    package static func jsonArray(
        _ path: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> [[String: Any]]? {
        try data(path, sourceLocation: sourceLocation).flatMap {
            try JSONSerialization.jsonObject(with: $0) as? [[String: Any]]
        }
    }

    /// The lines that are neither empty nor comments.
    package static func lines(
        _ path: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> [String]? {
        try data(path, sourceLocation: sourceLocation).map { data in
            String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
                .filter { !$0.hasPrefix("#") }
        }
    }

    /// The naughty strings of `blns`; `nil` where there are no vectors.
    package static func naughtyStrings(sourceLocation: SourceLocation = #_sourceLocation) throws -> [String]? {
        guard let data = try data("blns/blns.json", sourceLocation: sourceLocation) else { return nil }
        let strings = try JSONDecoder().decode([String].self, from: data)
        try #require(strings.count > 100)
        return strings
    }

    /// Every case of every group of a Wycheproof file, with its group's own fields.
    package static func wycheproofCases(
        _ file: [String: Any]
    ) throws -> [(group: [String: Any], test: [String: Any])] {
        try #require(file["testGroups"] as? [[String: Any]]).flatMap { group in
            (group["tests"] as? [[String: Any]] ?? []).map { (group, $0) }
        }
    }

    /// The cases of a file of `NAME = value` lines: each begins at a line of the name `first`. Values in brackets above
    /// hold for all cases below.
    package static func cases(
        _ path: String, first: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> [[String: String]]? {
        guard let data = try data(path, sourceLocation: sourceLocation) else { return nil }
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
}

extension Dictionary where Key == String {
    /// The bytes that a field holds in hexadecimal digits.
    package func bytes(_ field: String) throws -> [UInt8] {
        hex(try #require(self[field] as? String, "no field \(field)"))
    }
}

/// Bytes from hexadecimal digits; what is no digit is passed over.
package func hex(_ text: some StringProtocol) -> [UInt8] {
    let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }.map { UInt8($0) }
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

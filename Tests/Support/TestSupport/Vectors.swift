import Foundation
import Testing

/// The public test vectors, in the folder that `PARLEY_VECTORS` names.
///
/// Where it is not set, the tests marked `.vectors` are skipped, and counted as such; under CI (`CI=true`) they fail.
package enum Vectors {
    private static let root = ProcessInfo.processInfo.environment["PARLEY_VECTORS"].flatMap { $0.isEmpty ? nil : $0 }

    /// Whether what needs vectors is to run; it fails where there are none.
    fileprivate static let areExpected = root != nil || ProcessInfo.processInfo.environment["CI"] == "true"

    package static func folder(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> URL {
        let root = try #require(root, "PARLEY_VECTORS is not set", sourceLocation: sourceLocation)
        return URL(filePath: root).appending(path: path)
    }

    package static func data(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> Data {
        try Data(contentsOf: folder(path, sourceLocation: sourceLocation))
    }

    package static func json(
        _ path: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> [String: Any] {
        let object = try JSONSerialization.jsonObject(with: data(path, sourceLocation: sourceLocation))
        return try #require(object as? [String: Any], sourceLocation: sourceLocation)
    }

    package static func jsonArray(
        _ path: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> [[String: Any]] {
        let object = try JSONSerialization.jsonObject(with: data(path, sourceLocation: sourceLocation))
        return try #require(object as? [[String: Any]], sourceLocation: sourceLocation)
    }

    /// The lines that are neither empty nor comments.
    package static func lines(
        _ path: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> [String] {
        String(decoding: try data(path, sourceLocation: sourceLocation), as: UTF8.self)
            .split(whereSeparator: \.isNewline).map(String.init).filter { !$0.hasPrefix("#") }
    }

    /// The naughty strings of `blns`.
    package static func naughtyStrings(sourceLocation: SourceLocation = #_sourceLocation) throws -> [String] {
        let data = try data("blns/blns.json", sourceLocation: sourceLocation)
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
    ) throws -> [[String: String]] {
        let data = try data(path, sourceLocation: sourceLocation)
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

extension Trait where Self == ConditionTrait {
    /// The test reads public test vectors.
    package static var vectors: Self { .enabled(if: Vectors.areExpected, "PARLEY_VECTORS is not set") }
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

import Foundation
import Testing

/// A file of public test vectors in the folder that `PARLEY_VECTORS` names.
///
/// Without the folder a test says that it skipped; under CI (`CI=true`) its absence is a failure.
enum Vectors {
    static func json(_ path: String) throws -> [String: Any]? {
        try data(path).flatMap { try JSONSerialization.jsonObject(with: $0) as? [String: Any] }
    }

    static func jsonArray(_ path: String) throws -> [[String: Any]]? {
        try data(path).flatMap { try JSONSerialization.jsonObject(with: $0) as? [[String: Any]] }
    }

    /// The lines that are neither empty nor comments.
    static func lines(_ path: String) throws -> [String]? {
        try data(path).map { data in
            String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
                .filter { !$0.hasPrefix("#") }
        }
    }

    /// Every case of every group of a Wycheproof file, with its group's own fields.
    static func wycheproofCases(_ file: [String: Any]) throws -> [(group: [String: Any], test: [String: Any])] {
        try #require(file["testGroups"] as? [[String: Any]]).flatMap { group in
            (group["tests"] as? [[String: Any]] ?? []).map { (group, $0) }
        }
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

extension [String: Any] {
    /// The bytes that a field holds in hexadecimal digits.
    func bytes(_ field: String) throws -> [UInt8] {
        hex(try #require(self[field] as? String, "no field \(field)"))
    }
}

/// Bytes from hexadecimal digits; spaces are ignored.
func hex(_ text: some StringProtocol) -> [UInt8] {
    var bytes: [UInt8] = []
    var high: UInt8?
    for character in text.utf8 {
        let digit: UInt8
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = character - UInt8(ascii: "A") + 10
        default: continue
        }
        if let first = high {
            bytes.append(first << 4 | digit)
            high = nil
        } else {
            high = digit
        }
    }
    return bytes
}

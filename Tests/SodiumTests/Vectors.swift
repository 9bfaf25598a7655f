import Foundation
import Testing

/// A file of public test vectors in the folder that `PARLEY_VECTORS` names.
///
/// Without the folder a test says that it skipped; under CI (`CI=true`) its absence is a failure.
enum Vectors {
    static func json(_ path: String) throws -> [String: Any]? {
        let environment = ProcessInfo.processInfo.environment
        guard let folder = environment["PARLEY_VECTORS"] else {
            print("skipped: 1 file of test vectors (\(path)): PARLEY_VECTORS is not set")
            #expect(environment["CI"] != "true", "PARLEY_VECTORS must be set where CI=true")
            return nil
        }
        let data = try Data(contentsOf: URL(filePath: folder).appending(path: path))
        return try JSONSerialization.jsonObject(with: data) as? [String: Any]
    }

    /// Every case of every group of a Wycheproof file, with its group's own fields.
    static func wycheproofCases(_ file: [String: Any]) throws -> [(group: [String: Any], test: [String: Any])] {
        try #require(file["testGroups"] as? [[String: Any]]).flatMap { group in
            (group["tests"] as? [[String: Any]] ?? []).map { (group, $0) }
        }
    }
}

/// Bytes from hexadecimal digits; spaces are ignored.
func hex(_ text: String) -> [UInt8] {
    var digits = text.utf8.filter { $0 != UInt8(ascii: " ") }.compactMap { UInt8(String(UnicodeScalar($0)), radix: 16) }
    var bytes: [UInt8] = []
    while digits.count >= 2 {
        bytes.append(digits[0] << 4 | digits[1])
        digits.removeFirst(2)
    }
    return bytes
}

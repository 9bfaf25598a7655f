import Foundation
import Testing

/// The folder of public test vectors that `PARLEY_VECTORS` names.
///
/// Where it is not set, the test says that it skipped; under CI (`CI=true`) that is a failure.
enum Vectors {
    static func folder(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) -> URL? {
        let environment = ProcessInfo.processInfo.environment
        guard let root = environment["PARLEY_VECTORS"], !root.isEmpty else {
            print("skipped: the test vectors \(path): PARLEY_VECTORS is not set")
            #expect(
                environment["CI"] != "true", "PARLEY_VECTORS must be set where CI=true",
                sourceLocation: sourceLocation)
            return nil
        }
        return URL(filePath: root).appending(path: path)
    }

    /// The naughty strings of `blns`; `nil` where there are no vectors.
    static func naughtyStrings(sourceLocation: SourceLocation = #_sourceLocation) throws -> [String]? {
        guard let file = folder("blns/blns.json", sourceLocation: sourceLocation) else { return nil }
        let strings = try JSONDecoder().decode([String].self, from: Data(contentsOf: file))
        try #require(strings.count > 100)
        return strings
    }
}

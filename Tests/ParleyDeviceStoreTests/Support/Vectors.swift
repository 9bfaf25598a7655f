import Foundation
import Testing

/// A file of public test vectors in the folder that `PARLEY_VECTORS` names.
///
/// Without the folder a test says that it skipped; under CI (`CI=true`) its absence is a failure.
enum Vectors {
    static func strings(_ path: String) throws -> [String]? {
        let environment = ProcessInfo.processInfo.environment
        guard let folder = environment["PARLEY_VECTORS"] else {
            print("skipped: 1 file of test vectors (\(path)): PARLEY_VECTORS is not set")
            #expect(environment["CI"] != "true", "PARLEY_VECTORS must be set where CI=true")
            return nil
        }
        let data = try Data(contentsOf: URL(filePath: folder).appending(path: path))
        return try JSONDecoder().decode([String].self, from: data)
    }
}

import Foundation
import TestSupport
import Testing

@testable import parley

@Suite("Completions")
struct CompletionTests {
    @Test(
        "are of the data directory that the command line names, the last one that it does",
        arguments: [
            (["parley", "--data", "/srv/a", "send"], "/srv/a"), (["parley", "send", "--data=/srv/b"], "/srv/b"),
            (["parley", "--data", "a", "send", "--data", "/srv/c"], "/srv/c"),
        ])
    func dataDirectory(words: [String], directory: String) {
        #expect(Completions.dataDirectory(words) == directory)
    }

    @Test("are the devices whose directories are there")
    func devices() throws {
        let data = try TemporaryDirectory()
        for name in ["devices/alice/phone", "devices/alice/laptop", "devices/bob/phone", "devices/no user/phone"] {
            try FileManager.default.createDirectory(atPath: "\(data.path)/\(name)", withIntermediateDirectories: true)
        }
        #expect(
            Set(Completions.devices(in: data.path).map { "\($0)" }) == ["alice/phone", "alice/laptop", "bob/phone"])
    }

    @Test("are none where there is no data directory")
    func none() {
        #expect(Completions.devices(in: TemporaryDirectory.unmade().path).isEmpty)
    }
}

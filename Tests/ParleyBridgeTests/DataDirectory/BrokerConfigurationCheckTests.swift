import Foundation
import ParleyBridge
import Testing

@Suite("What the gateway depends on in mosquitto.conf")
struct BrokerConfigurationCheckTests {
    private static let template = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("broker-config/development.conf").path

    /// A data directory with the template filled in, and `change` made to it.
    private func problems(_ change: (String) -> String) throws -> [String] {
        let path = NSTemporaryDirectory() + "parley-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let directory = DataDirectory(path: path)
        try directory.prepare()
        let plugin = path + "/plugin.so"
        try Data("any file".utf8).write(to: URL(fileURLWithPath: plugin))
        try BrokerTemplate(path: Self.template).install(
            in: directory, BrokerTemplate.Values(plugin: plugin, mqttPort: 1893, webSocketPort: 9893, user: "nobody"))
        let text = try String(contentsOfFile: directory.brokerConfiguration, encoding: .utf8)
        try change(text).write(toFile: directory.brokerConfiguration, atomically: true, encoding: .utf8)
        return BrokerConfigurationCheck(directory, Settings()).problems
    }

    @Test("the template for development has no mistake")
    func template() throws {
        #expect(try problems { $0 } == [])
    }

    @Test(
        "each line that the gateway depends on is missed",
        arguments: [
            ("plugin ", "there is no plugin"),
            ("plugin_opt_public_key_file ", "plugin_opt_public_key_file is not"),
            ("allow_anonymous ", "allow_anonymous is not false"),
            ("listener 0 ", "there is no listener"),
            ("max_inflight_messages ", "max_inflight_messages is 20"),
            ("persistence ", "persistence is not true"),
        ])
    func missing(line: String, sentence: String) throws {
        let found = try problems { text in
            text.split(separator: "\n", omittingEmptySubsequences: false)
                .filter { !$0.hasPrefix(line) }.joined(separator: "\n")
        }
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix(sentence) == true)
    }
}

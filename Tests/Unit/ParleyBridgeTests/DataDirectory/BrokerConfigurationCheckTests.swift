import ParleyProtocol
import TestSupport
import Foundation
import ParleyBridge
import TestNames
import Testing

@Suite("What the gateway depends on in mosquitto.conf")
struct BrokerConfigurationCheckTests {
    private static func template(_ name: String) -> String {
        Document.root.appending(path: "broker-config/\(name).conf").path
    }

    private func problems(_ change: (String) -> String) throws -> [String] {
        try check { change($0) }.problems
    }

    /// Checks a data directory with a template filled in, and `change` made to it.
    private func check(
        _ name: String = "development", version: BrokerVersion? = BrokerVersion(2, 0, 11),
        _ change: (String) -> String = { $0 }
    ) throws -> BrokerConfigurationCheck {
        let path = NSTemporaryDirectory() + "parley-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let directory = DataDirectory(path: path)
        try directory.prepare()
        let plugin = path + "/plugin.so"
        try Data("any file".utf8).write(to: URL(fileURLWithPath: plugin))
        try BrokerTemplate(path: Self.template(name)).install(
            in: directory, BrokerTemplate.Values(plugin: plugin, mqttPort: 1893, user: "nobody"))
        let text = try String(contentsOfFile: directory.brokerConfiguration, encoding: .utf8)
        try change(text).write(toFile: directory.brokerConfiguration, atomically: true, encoding: .utf8)
        return BrokerConfigurationCheck(directory, Settings(), broker: version)
    }

    @Test("the templates have no mistake, and nothing of them is dangerous", arguments: ["development", "production"])
    func template(name: String) throws {
        let found = try check(name)
        #expect(found.problems == [])
        #expect(found.warnings == [])
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
            ("max_packet_size ", "max_packet_size is not set"),
            ("message_size_limit ", "message_size_limit is not set"),
            ("max_inflight_bytes ", "max_inflight_bytes is not set"),
        ])
    func missing(line: String, sentence: String) throws {
        let found = try problems { text in
            text.split(separator: "\n", omittingEmptySubsequences: false)
                .filter { !$0.hasPrefix(line) }.joined(separator: "\n")
        }
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix(sentence) == true)
    }

    @Test(
        "a line that hurts is named",
        arguments: [
            ("check_retain_source true", "check_retain_source is true: nobody would receive anything retained"),
            ("check_retain_source 1", "check_retain_source is true: nobody would receive anything retained"),
            ("message_size_limit 1000", "message_size_limit is 1000, less than 393216"),
            ("max_inflight_bytes 1000", "max_inflight_bytes is 1000, less than 393216"),
            ("max_packet_size 1000", "max_packet_size is 1000, less than 393216"),
            ("allow_anonymous true", "allow_anonymous is not false"),
        ])
    func hurtful(line: String, sentence: String) throws {
        #expect(try problems { "\($0)\n\(line)\n" } == [sentence])
    }

    @Test("check_retain_source false is no mistake")
    func retainSource() throws {
        #expect(try problems { $0 + "\ncheck_retain_source false\n" } == [])
    }

    @Test(
        "a WebSocket listener that other machines reach is a mistake",
        arguments: [
            "listener 9001\nprotocol websockets", "listener 9001 127.0.0.1\nprotocol websockets",
            "listener 9001 10.0.0.1\nprotocol websockets\nsocket_domain ipv4",
        ])
    func exposedWebSocket(lines: String) throws {
        let found = try check { $0 + "\n\(lines)\n" }
        #expect(found.problems.count == 1)
        #expect(found.problems.first?.hasPrefix("the WebSocket listener 9001 can be reached") == true)
        #expect(found.warnings == [])
    }

    @Test(
        "a listener that other machines reach is a danger before 2.0.16, or where the version is not known",
        arguments: ["listener 1893", "listener 1893 0.0.0.0", "listener 1893 ::", "port 1893", "bind_address 10.0.0.1"])
    func exposed(line: String) throws {
        let change = { (text: String) in "\(text)\n\(line)\n" }
        for version in [BrokerVersion(2, 0, 11), BrokerVersion(1, 6, 99), BrokerVersion(2, 0, 15)] {
            let found = try check(version: version, change)
            #expect(found.problems == [])
            #expect(found.warnings.count == 1)
            #expect(found.warnings.first?.contains("Mosquitto \(version) never frees the will") == true)
        }
        #expect(try check(version: nil, change).warnings.first?.contains("the broker's version is not known") == true)
        for version in [BrokerVersion(2, 0, 16), BrokerVersion(2, 0, 100), BrokerVersion(2, 1, 0)] {
            #expect(try check(version: version, change).warnings == [])
        }
    }

    @Test(
        "a listener that only this machine reaches is none",
        arguments: [
            "listener 1999 127.0.0.1", "listener 1999 localhost", "listener 1999 ::1", "listener 0 other.sock",
            "listener 1999\nbind_interface lo",
        ])
    func local(lines: String) throws {
        let found = try check { "\($0)\n\(lines)\n" }
        #expect(found.problems == [])
        #expect(found.warnings == [])
    }

    @Test("the version is read from what the broker says of itself")
    func version() {
        #expect(BrokerVersion(line: "mosquitto version 2.0.11") == BrokerVersion(2, 0, 11))
        #expect(BrokerVersion(line: "mosquitto version 2.0.11-dev") == nil)
        #expect(BrokerVersion(line: "mosquitto_pub version 2.0.11") == nil)
        #expect(BrokerVersion(line: "") == nil)
        #expect(BrokerVersion.installed() != nil)
    }
}

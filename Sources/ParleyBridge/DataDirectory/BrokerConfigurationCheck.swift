import Foundation
import ParleyProtocol

/// Looks in `mosquitto.conf` for what the gateway depends on: an operator may change the rest as he likes.
package struct BrokerConfigurationCheck: Sendable {
    /// What is wrong, a sentence each; empty if nothing is.
    package let problems: [String]

    package init(_ directory: DataDirectory, _ settings: Settings) {
        guard let data = FileManager.default.contents(atPath: directory.brokerConfiguration) else {
            problems = ["it cannot be read; `parleyd init` makes it"]
            return
        }
        let options = BrokerConfigurationCheck.options(String(decoding: data, as: UTF8.self))
        var problems: [String] = []
        func require(_ isRight: Bool, _ problem: String) { if !isRight { problems.append(problem) } }
        let plugin = options["plugin"]?.first ?? ""
        require(FileManager.default.isReadableFile(atPath: plugin), "there is no plugin at \"\(plugin)\"")
        let key = options["plugin_opt_public_key_file"]?.first ?? ""
        require(key == directory.publicKey, "plugin_opt_public_key_file is not \(directory.publicKey)")
        require(
            FileManager.default.contents(atPath: directory.publicKey)?.count == 32,
            "\(directory.publicKey) is not a public key of 32 bytes")
        require(options["allow_anonymous"] == ["false"], "allow_anonymous is not false")
        require(
            options["listener"]?.contains { $0.hasPrefix("0 ") && $0.hasSuffix("run/broker.sock") } == true,
            "there is no listener on the gateway's socket, run/broker.sock")
        let inflight = options["max_inflight_messages"]?.first.flatMap { Int($0) } ?? 20
        require(
            inflight == 0 || inflight >= settings.batchLimit,
            "max_inflight_messages is \(inflight), less than batch_limit, \(settings.batchLimit)")
        if let size = options["max_packet_size"]?.first.flatMap({ Int($0) }) {
            require(size >= Limits.packetBytes, "max_packet_size is \(size), less than \(Limits.packetBytes)")
        }
        require(options["persistence"] == ["true"], "persistence is not true: a restart would lose what is queued")
        self.problems = problems
    }

    /// The options by name, each with its values in order.
    private static func options(_ text: String) -> [String: [String]] {
        var options: [String: [String]] = [:]
        for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
            let parts = line.split(separator: " ", maxSplits: 1)
            guard let name = parts.first else { continue }
            let value = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
            options[String(name), default: []].append(value)
        }
        return options
    }
}

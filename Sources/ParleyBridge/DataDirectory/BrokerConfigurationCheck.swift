import Foundation
import ParleyProtocol

/// Checks the settings in `mosquitto.conf` that the gateway depends on: an operator may change the rest.
package struct BrokerConfigurationCheck: Sendable {
    /// A sentence for each mistake.
    package let problems: [String]
    /// A sentence for each danger with this version of the broker.
    package let warnings: [String]

    /// - Parameter version: the broker's; `nil` if it is not known.
    package init(_ directory: DataDirectory, _ settings: Settings, broker version: BrokerVersion?) {
        guard let data = FileManager.default.contents(atPath: directory.brokerConfiguration) else {
            problems = ["it cannot be read; `parleyd init` makes it"]
            warnings = []
            return
        }
        let configuration = BrokerConfiguration(String(decoding: data, as: UTF8.self))
        problems =
            configuration.accessProblems(directory) + configuration.listenerProblems
            + configuration.limitProblems(settings)
        warnings = configuration.userWarnings + configuration.exposedListeners.compactMap { $0.warning(version) }
    }
}

extension BrokerConfiguration {
    /// Checks that the plugin decides about sign-ins, and what that depends on.
    fileprivate func accessProblems(_ directory: DataDirectory) -> [String] {
        var problems: [String] = []
        func require(_ isRight: Bool, _ problem: String) { if !isRight { problems.append(problem) } }
        let plugin = value(of: "plugin") ?? ""
        require(FileManager.default.isReadableFile(atPath: plugin), "there is no plugin at \"\(plugin)\"")
        require(
            value(of: "plugin_opt_public_key_file") == directory.publicKey,
            "plugin_opt_public_key_file is not \(directory.publicKey)")
        require(
            FileManager.default.contents(atPath: directory.publicKey)?.count == 32,
            "\(directory.publicKey) is not a public key of 32 bytes")
        require(value(of: "allow_anonymous") == "false", "allow_anonymous is not false")
        // The broker asks the plugin about such a sender with a made-up record, which the plugin cannot know.
        require(
            ["true", "1"].contains(value(of: "check_retain_source")) == false,
            "check_retain_source is true: nobody would receive anything retained")
        return problems
    }

    /// Started by root, the broker stays root only if its configuration asks for it.
    fileprivate var userWarnings: [String] {
        value(of: "user") == "root" ? ["user is root: whoever takes over the broker has the machine"] : []
    }

    fileprivate var listenerProblems: [String] {
        var problems: [String] = []
        if !listeners.contains(where: { $0.isUnixSocket && $0.address?.hasSuffix("run/broker.sock") == true }) {
            problems.append("there is no listener on the gateway's socket, run/broker.sock")
        }
        for listener in listeners where listener.isWebSocket && !listener.isLocal {
            problems.append(
                "the WebSocket listener \(listener.port) can be reached from other machines (the broker reads frames of any "
                    + "size there, before anybody has signed in): bind it to 127.0.0.1 with socket_domain ipv4")
        }
        return problems
    }

    fileprivate func limitProblems(_ settings: Settings) -> [String] {
        var problems: [String] = []
        let count = number("max_inflight_messages") ?? 20
        if count != 0, count < settings.batchLimit {
            problems.append("max_inflight_messages is \(count), less than batch_limit, \(settings.batchLimit)")
        }
        let bounds = [
            ("max_packet_size", "anybody could fill the broker's memory before signing in"),
            ("message_size_limit", "a larger message could not be handed to the gateway"),
            ("max_inflight_bytes", "a client that does not read could hold any number of bytes"),
        ]
        for (option, why) in bounds {
            let bytes = number(option) ?? 0
            if bytes <= 0 {
                problems.append("\(option) is not set: \(why)")
            } else if bytes < Limits.packetBytes {
                problems.append("\(option) is \(bytes), less than \(Limits.packetBytes)")
            }
        }
        if value(of: "persistence") != "true" {
            problems.append("persistence is not true: a restart would lose what is queued")
        }
        return problems
    }

    /// Those for MQTT over TCP that other machines can reach.
    fileprivate var exposedListeners: [Listener] { listeners.filter { !$0.isLocal && !$0.isWebSocket } }
}

extension BrokerConfiguration.Listener {
    /// The warning about a listener that other machines reach, where the broker is too old or not known.
    fileprivate func warning(_ version: BrokerVersion?) -> String? {
        let repair = "let it listen on 127.0.0.1 behind broker-config/haproxy.cfg"
        guard let version else {
            return "listener \(port) can be reached from other machines, and the broker's version is not known: before "
                + "\(BrokerVersion.freesRefusedWills) anybody can fill its memory without signing in; \(repair)"
        }
        guard version < .freesRefusedWills else { return nil }
        return
            "listener \(port) can be reached from other machines, and Mosquitto \(version) never frees the will of a "
            + "CONNECT that it refuses, so that anybody can fill its memory without signing in; \(repair)"
    }
}

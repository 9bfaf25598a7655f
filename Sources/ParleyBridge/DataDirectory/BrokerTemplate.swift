import ParleyProtocol

/// The templates of `broker-config`, filled in for one data directory.
package struct BrokerTemplate: Sendable {
    package struct Values: Sendable {
        let plugin: String
        let mqttPort: Int
        /// Of the web door, which the broker knows nothing of.
        let webPort: Int?
        let user: String

        package init(plugin: String, mqttPort: Int, webPort: Int? = nil, user: String) {
            self.plugin = plugin
            self.mqttPort = mqttPort
            self.webPort = webPort
            self.user = user
        }
    }

    /// The TLS proxy for devices of an open network; the broker listens behind it.
    package struct Door: Sendable {
        let template: ConfigurationTemplate
        let host: String
        let port: Int
        let certificate: String
        let authority: String?
        let listensOnIPv6: Bool

        /// - Parameters:
        ///   - host: the gateway's name for devices, which the certificate must have.
        ///   - certificate: a file of the certificate, its chain and its key. It need not be readable to this process.
        ///   - authority: a file of the certificates that `parley` trusts; `nil` for the system's.
        ///   - listensOnIPv6: `false` on a machine that has none, where HAProxy would not start.
        package init(
            template: ConfigurationTemplate, host: String, port: Int, certificate: String, authority: String?,
            listensOnIPv6: Bool
        ) throws(DataDirectoryError) {
            guard !certificate.contains("'") else {
                throw DataDirectoryError("a path with a quotation mark is not possible in the door's configuration")
            }
            self.template = template
            self.host = host
            self.port = port
            self.certificate = certificate
            self.authority = authority
            self.listensOnIPv6 = listensOnIPv6
        }

        /// HAProxy's configuration.
        package func filled(brokerPort: Int) throws(DataDirectoryError) -> String {
            let text = try template.filled(with: [
                "DOOR_PORT": String(port), "CERT": certificate, "MQTT_PORT": String(brokerPort),
            ])
            guard !listensOnIPv6 else { return text }
            return text.split(separator: "\n", omittingEmptySubsequences: false)
                .filter { !$0.drop(while: \.isWhitespace).hasPrefix("bind ipv6@") }
                .joined(separator: "\n")
        }
    }

    private let template: ConfigurationTemplate
    private let door: Door?

    package init(path: String, door: Door? = nil) throws(DataDirectoryError) {
        template = try ConfigurationTemplate(path: path)
        self.door = door
    }

    /// Writes `mosquitto.conf`, `endpoint.json` and, if there is a door, `haproxy.cfg` for this directory.
    package func install(in directory: DataDirectory, _ values: Values) throws(DataDirectoryError) {
        let broker = try template.filled(with: [
            "DATA": directory.path, "PLUGIN": values.plugin, "MQTT_PORT": String(values.mqttPort),
            "USER": values.user,
        ])
        if let door {
            let text = try door.filled(brokerPort: values.mqttPort)
            try DataDirectory.write(Array(text.utf8), to: directory.doorConfiguration)
        }
        try DataDirectory.write(Array(broker.utf8), to: directory.brokerConfiguration)
        try DataDirectory.write(endpoint(values), to: directory.endpoint)
    }

    /// The addresses of the gateway, for `parley`.
    private func endpoint(_ values: Values) -> [UInt8] {
        var writer = JSONWriter()
        writer.object {
            $0.member("host", door?.host ?? "127.0.0.1")
            $0.member("mqtt_port", door?.port ?? values.mqttPort)
            if let port = values.webPort { $0.member("web_port", port) }
            $0.member("scheme", door == nil ? "mqtt" : "mqtts")
            if let authority = door?.authority { $0.member("ca_file", authority) }
        }
        return writer.finish() + Array("\n".utf8)
    }
}

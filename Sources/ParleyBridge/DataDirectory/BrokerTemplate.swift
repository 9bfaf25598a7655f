import Foundation

/// Fills in the template of the broker's configuration: `@NAME@` stands for a value.
package struct BrokerTemplate: Sendable {
    package struct Values: Sendable {
        let plugin: String
        let mqttPort: Int
        let webSocketPort: Int
        let user: String

        package init(plugin: String, mqttPort: Int, webSocketPort: Int, user: String) {
            self.plugin = plugin
            self.mqttPort = mqttPort
            self.webSocketPort = webSocketPort
            self.user = user
        }
    }

    private let text: String

    package init(path: String) throws(DataDirectoryError) {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw DataDirectoryError("the broker's configuration template \(path) cannot be read")
        }
        text = String(decoding: data, as: UTF8.self)
    }

    /// Writes `mosquitto.conf` and `endpoint.json` for this directory.
    package func install(in directory: DataDirectory, _ values: Values) throws(DataDirectoryError) {
        let replacements = [
            "@DATA@": directory.path, "@PLUGIN@": values.plugin, "@MQTT_PORT@": String(values.mqttPort),
            "@WS_PORT@": String(values.webSocketPort), "@USER@": values.user,
        ]
        for value in replacements.values where value.contains(where: \.isNewline) {
            throw DataDirectoryError("a path with a line break cannot stand in the broker's configuration")
        }
        try DataDirectory.write(Array(filled(with: replacements).utf8), to: directory.brokerConfiguration)
        let endpoint =
            "{\"host\":\"127.0.0.1\",\"mqtt_port\":\(values.mqttPort),\"ws_port\":\(values.webSocketPort)}\n"
        try DataDirectory.write(Array(endpoint.utf8), to: directory.endpoint)
    }

    /// In one pass: what stands in a value stays as it is, even where it looks like a name.
    private func filled(with replacements: [String: String]) -> String {
        var filled = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: "@") {
            filled += rest[..<start]
            rest = rest[start...]
            if let (name, value) = replacements.first(where: { rest.hasPrefix($0.key) }) {
                filled += value
                rest = rest.dropFirst(name.count)
            } else {
                filled.append(rest.removeFirst())
            }
        }
        return filled + rest
    }
}

import ParleyClient
import ParleyProtocol

extension LocalGateway {
    /// Saves how a device signs in, for this tool and for Mosquitto's own clients, so that no secret is among the
    /// arguments of a command.
    func save(_ credentials: DeviceCredentials, of device: DeviceAddress) throws(ToolError) {
        let directory = DeviceDirectory(of: device, in: path)
        do throws(CredentialsError) {
            try directory.store(credentials)
        } catch {
            throw ToolError(.noAnswer, "the credentials could not be kept: \(error)")
        }
        try saveOptions(in: directory)
    }

    /// Where a client keeps the token that it renews: in the place of the one before it, also for Mosquitto's clients.
    func renewal(in directory: DeviceDirectory) -> TokenRenewal {
        TokenRenewal {
            try directory.readStoredCredentials()
        } replace: { former, renewed in
            if try directory.replace(former, with: renewed) { try saveOptions(in: directory) }
        }
    }

    /// Writes the options of Mosquitto's clients, where they are others than the kept credentials ask for.
    func saveOptions(in directory: DeviceDirectory) throws(ToolError) {
        let endpoint = try endpoint(of: directory.device)
        // They speak no WebSocket.
        if case .webSocket = endpoint.transport { return }
        do throws(CredentialsError) {
            try directory.storeCopies { credentials in
                LocalGateway.mosquittoClients.map { file, name in
                    (file, Array(mosquittoOptions(credentials, name, endpoint).utf8))
                }
            }
        } catch {
            throw ToolError(.noAnswer, "the credentials could not be kept: \(error)")
        }
    }

    /// The names of the files of Mosquitto's clients, and of their connections.
    static let mosquittoClients = [
        (file: "mosquitto_sub", connection: "sub"), (file: "mosquitto_pub", connection: "pub"),
        (file: "mosquitto_rr", connection: "rr"),
    ]

    /// One option a line, as these clients read them below `$XDG_CONFIG_HOME`. Each is a further connection of the
    /// device (protocol §1), under the same name each time: a device has eight a day. A second one at the same time
    /// takes over, unless its command line names another (`-i`).
    private func mosquittoOptions(
        _ credentials: DeviceCredentials, _ name: String, _ endpoint: LocalEndpoint
    ) -> String {
        """
        -h \(endpoint.host)
        -p \(endpoint.mqttPort)
        \(trust(endpoint.transport))-V mqttv5
        -u \(credentials.username)
        -P \(credentials.password)
        -i \(credentials.clientID):\(name)
        -q 1

        """
    }

    private func trust(_ transport: LocalEndpoint.Transport) -> String {
        switch transport {
        case .plain, .webSocket: ""
        case .tls(nil): "--tls-use-os-certs\n"
        case .tls(let caFile?): "--cafile \(caFile)\n"
        }
    }
}

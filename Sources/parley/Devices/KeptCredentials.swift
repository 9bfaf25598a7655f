import ParleyClient
import ParleyProtocol

extension LocalGateway {
    /// Keeps how a device signs in, for this tool and for Mosquitto's own clients, so that no secret stands among the
    /// arguments of a command.
    func keep(_ credentials: DeviceCredentials, of device: DeviceAddress) throws(Failure) {
        let directory = DeviceDirectory(of: device, in: path)
        let options = mosquittoOptions(credentials, try endpoint())
        do throws(CredentialsError) {
            try directory.store(credentials)
            for client in ["mosquitto_sub", "mosquitto_pub", "mosquitto_rr"] {
                try directory.store(Array(options.utf8), as: client)
            }
        } catch {
            throw Failure(.noAnswer, "the credentials could not be kept: \(error)")
        }
    }

    /// One option a line, as these clients read them below `$XDG_CONFIG_HOME`. The client id gets the process's number
    /// behind it: a further connection of the device (protocol §1).
    private func mosquittoOptions(_ credentials: DeviceCredentials, _ endpoint: LocalEndpoint) -> String {
        """
        -h \(endpoint.host)
        -p \(endpoint.mqttPort)
        \(trust(endpoint.transport))-V mqttv5
        -u \(credentials.username)
        -P \(credentials.password)
        -I \(credentials.clientID):
        -q 1

        """
    }

    private func trust(_ transport: LocalEndpoint.Transport) -> String {
        switch transport {
        case .plain: ""
        case .tls(nil): "--tls-use-os-certs\n"
        case .tls(let caFile?): "--cafile \(caFile)\n"
        }
    }
}

import ParleyClient
import ParleyProtocol

extension SignInRecord {
    /// The command that signs a device in again.
    func login(_ device: DeviceAddress) -> String {
        "parley login \(door) --email \(email) --device \(device.device)"
    }

    /// The sentence for a person who has signed in by a door.
    ///
    /// - Returns: `nil` where there is nothing to say beyond what is said of the gateway of a data directory.
    func sentence(_ cause: ConnectionError, _ device: DeviceAddress) -> String? {
        let login = login(device)
        switch cause {
        case .notAuthorized:
            return
                "the gateway does not accept the credentials of \(device): the token has ended, or the device was signed "
                + "out; sign in again with: \(login)"
        case .noCredentials(CredentialsError.missing): return "\(device) is signed out; sign in with: \(login)"
        case .unreachable, .nameNotResolved:
            return endpoint.map {
                "nobody answers at \($0.url); if MQTT is elsewhere, say so with: \(login) --mqtt HOST:PORT"
            }
        case .notReady:
            return endpoint.map {
                "\($0.url) closes connections without a word: the gateway is not ready, or turns this address away for a "
                    + "while"
            }
        case .notTrusted:
            return endpoint.map {
                "the certificate of \($0.url) is not trusted, or is for another name, or it speaks no TLS; a certificate "
                    + "to trust is named with: \(login) --ca FILE"
            }
        case .tlsRequired, .tlsNotSpoken, .timedOut, .lost, .takenOver, .noCredentials, .other:
            return endpoint == nil ? nil : cause.description
        }
    }
}

extension LocalEndpoint {
    /// Whether it is of this machine alone.
    var isLoopback: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

    /// Such as `mqtts://chat.example.org:8883`.
    var url: String {
        let host = host.contains(":") ? "[\(host)]" : host
        switch transport {
        case .plain: return "mqtt://\(host):\(mqttPort)"
        case .tls: return "mqtts://\(host):\(mqttPort)"
        }
    }
}

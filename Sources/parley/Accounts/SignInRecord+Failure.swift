import ParleyClient
import ParleyIdentity
import ParleyProtocol

extension SignInRecord {
    /// What signs a device in again: a command.
    func login(_ device: DeviceAddress) -> String {
        guard let door, let email else {
            return "parley login FILE; an operator of the gateway makes the file by: parley device export "
                + "\(device.user) \(device.device)"
        }
        return "parley login \(door) --email \(email) --device \(device.device)"
    }

    /// Whether both are of one gateway: by the same door, or by files that name the same broker.
    func isSameGateway(as other: SignInRecord) -> Bool {
        guard email == nil else { return other.email != nil && door == other.door }
        return other.email == nil && endpoint?.host == other.endpoint?.host
            && endpoint?.mqttPort == other.endpoint?.mqttPort
    }

    /// Where the device belongs, for people.
    var place: String { door ?? endpoint?.url ?? "the file" }

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
        case .nameNotResolved: return endpoint.map { "the host \($0.host) is not known on this machine" }
        case .unreachable where email == nil: return endpoint.map { "nobody answers at \($0.url)" }
        case .unreachable:
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
                "the certificate of \($0.url) is not trusted, or is for another name, or it speaks no TLS"
                    + (email == nil ? "" : "; a certificate to trust is named with: \(login) --ca FILE")
            }
        case .tlsRequired, .tlsNotSpoken, .timedOut, .lost, .takenOver, .noCredentials, .other:
            return endpoint == nil ? nil : cause.description
        }
    }
}

extension LocalEndpoint {
    /// Whether it is of this machine alone.
    var isLoopback: Bool { Loopback.has(host) }

    /// Such as `mqtts://chat.example.org:8883`.
    var url: String {
        let host = host.contains(":") ? "[\(host)]" : host
        switch transport {
        case .plain: return "mqtt://\(host):\(mqttPort)"
        case .tls: return "mqtts://\(host):\(mqttPort)"
        }
    }
}

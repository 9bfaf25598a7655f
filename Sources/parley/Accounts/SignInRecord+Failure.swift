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

    /// The sentence for a person whose token was not taken.
    func sentence(ofSignIn error: RequestError, _ device: DeviceAddress) -> String {
        switch error {
        case .refused(let rejection): ToolError(rejection).message
        case .unanswered(.ended(let cause)), .unanswered(.timedOut(let cause?)):
            sentence(cause, device) ?? cause.description
        case .unanswered(.timedOut(nil)): "\(place) does not answer"
        case .unanswered(let failure): failure.description
        case .unreadable: "\(place) does not answer as a gateway does"
        }
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
            return endpoint.map { endpoint in
                endpoint.certificateFault
                    ?? "the certificate of \(endpoint.url) is not trusted, or is for another name, or it speaks no TLS"
            }
        case .tlsRequired: return endpoint.map { "\($0.url) speaks TLS: sign in with mqtts:// in place of mqtt://" }
        case .tlsNotSpoken:
            return endpoint.map {
                "\($0.url) speaks no TLS; its port for TLS is another, which the gateway's operator knows"
            }
        case .timedOut, .lost, .takenOver, .noCredentials, .other:
            return endpoint == nil ? nil : cause.description
        }
    }
}

extension LocalEndpoint {
    /// Whether it is of this machine alone.
    var isLoopback: Bool { Loopback.has(host) }
}

import HTTPClient
import ParleyClient
import ParleyProtocol
import Platform

// What is wrong with a gateway's certificate, in a sentence: libmosquitto says only that something is.

extension LocalEndpoint {
    private static let patience: Duration = .seconds(5)

    /// Shakes hands once more, to see what is wrong with the certificate. Sends nothing about the device.
    ///
    /// - Returns: `nil` where nothing more is known.
    var certificateFault: String? {
        guard transport.isEncrypted else { return nil }
        let host = host.contains(":") ? "[\(host)]" : host
        do throws(ByteStreamFailure) {
            _ = try ByteStream.open(
                "https://\(host):\(mqttPort)", trusting: transport.caFile, timeout: LocalEndpoint.patience)
            return nil
        } catch {
            switch error {
            case .certificate(let problem): return sentence(problem)
            case .unusableAuthority:
                return "\((transport.caFile ?? "").printable) is not there, or has no certificates to trust in PEM"
            case .noTLS: return "\(url) speaks no TLS, or none that this machine speaks"
            case .nameNotResolved, .unreachable, .timedOut, .lost, .system: return nil
            }
        }
    }

    private func sentence(_ problem: CertificateProblem) -> String {
        switch problem {
        case .expired: "the certificate of \(url) has expired; whoever runs the gateway has to renew it"
        case .notYetValid:
            "the certificate of \(url) is not valid yet; is the clock of this machine right? It says \(Timestamp.now)"
        case .untrusted:
            "the certificate of \(url) is signed by nobody whom this machine trusts; the gateway's operator has the "
                + "certificate to trust, which --ca FILE names"
        case .otherName:
            "the certificate of \(url) is for another name; sign in by the name that it is for"
        case .other(let code): "the certificate of \(url) is not acceptable (OpenSSL's reason \(code))"
        }
    }
}

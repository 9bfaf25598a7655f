import ParleyCrypto
import ParleyProtocol

/// A way to seal a message, and how its libraries are called for it.
struct CipherWay {
    let suite: Suite
    let backend: Backend

    static let all: [CipherWay] =
        Backend.allCases.filter { $0 != .libsodium || Backend.preferred == .libsodium }.map { backend in
            CipherWay(suite: .x25519AESGCM, backend: backend)
        } + [
            CipherWay(suite: .naclBox, backend: .preferred), CipherWay(suite: .groupBox, backend: .preferred),
        ]

    var name: String {
        switch (suite, backend) {
        case (.x25519AESGCM, .libsodium): "\(suite.rawValue), libsodium"
        case (.x25519AESGCM, .openSSL): "\(suite.rawValue), OpenSSL"
        case (.naclBox, _): suite.rawValue
        case (.groupBox, _): "\(suite.rawValue) for one device"
        }
    }

    func pair(content: Int) throws -> CipherPair {
        let direct: any DirectCalls =
            switch (suite, backend) {
            case (.x25519AESGCM, .libsodium): try SodiumAES()
            case (.x25519AESGCM, .openSSL): try OpenSSLAES()
            case (.naclBox, _): try SodiumBox()
            case (.groupBox, _): try SodiumGroup()
            }
        return try CipherPair(self, direct: direct, content: content)
    }
}

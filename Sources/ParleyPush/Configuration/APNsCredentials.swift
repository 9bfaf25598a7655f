import OpenSSL
import ParleyProtocol

/// The gateway's account with Apple's push service: a key for provider tokens.
package struct APNsCredentials: Sendable {
    package static let usualURL = "https://api.push.apple.com"

    let key: P256.PrivateKey
    let keyID: String
    let teamID: String
    /// Without a slash at its end.
    let url: String

    /// - Parameters:
    ///   - keyPEM: the `.p8` file, a private key in PKCS #8.
    ///   - keyID: 10 characters.
    ///   - teamID: 10 characters.
    package init(
        keyPEM: [UInt8], keyID: String, teamID: String, url: String = APNsCredentials.usualURL
    ) throws(PushConfigurationError) {
        guard keyPEM.count <= 16_384,
            let key = try? P256.PrivateKey(pem: keyPEM.span)
        else { throw .apnsKey }
        self.key = key
        self.keyID = try APNsCredentials.identifier(keyID, setting: "apns_key_id")
        self.teamID = try APNsCredentials.identifier(teamID, setting: "apns_team_id")
        self.url = try ServiceURL.parse(url, setting: "apns_url")
    }

    private static func identifier(_ text: String, setting: String) throws(PushConfigurationError) -> String {
        guard text.utf8.count == 10,
            text.unicodeScalars.allSatisfy({ $0.isASCII && $0.properties.isAlphabetic || isDigit($0) })
        else { throw .apnsIdentifier(setting: setting) }
        return text
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
}

/// The address of a push service that an operator has configured.
enum ServiceURL {
    /// The URL without a slash at its end.
    static func parse(_ text: String, setting: String) throws(PushConfigurationError) -> String {
        let trimmed = text.hasSuffix("/") ? String(text.dropLast()) : text
        guard let endpoint = PushEndpoint(trimmed), endpoint.text.utf8.count(where: { $0 == UInt8(ascii: "/") }) == 2,
            !endpoint.text.utf8.contains(UInt8(ascii: "?"))
        else { throw .url(setting: setting) }
        return trimmed
    }
}

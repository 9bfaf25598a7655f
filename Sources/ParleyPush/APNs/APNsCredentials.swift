import OpenSSL
import ParleyProtocol

/// The gateway's account with Apple's push service: a key for provider tokens.
struct APNsCredentials: Sendable {
    static let settings = [
        ProviderSetting(
            "apns_key_file", .secretFile,
            "The `.p8` file of Apple's key; without it there is no `apns`."),
        ProviderSetting("apns_key_id", .text, "The id of that key."),
        ProviderSetting("apns_team_id", .text, "The id of the team it belongs to."),
        ProviderSetting(
            "apns_url", .url(usual: "https://api.push.apple.com", beginnings: ["https://"]),
            "Apple's push service; `https://api.sandbox.push.apple.com` for development."),
    ]

    let key: P256.PrivateKey
    let keyID: String
    let teamID: String
    let url: String

    /// `nil` where there is no key file.
    init?(_ configuration: PushConfiguration) throws(PushConfigurationError) {
        guard let pem = configuration.values["apns_key_file"] else { return nil }
        guard pem.count <= 16_384, let key = try? P256.PrivateKey(pem: pem.span) else {
            throw PushConfigurationError(
                "apns_key_file", "not a private key of P-256 in PEM (the .p8 file from Apple)")
        }
        self.key = key
        keyID = try APNsCredentials.identifier("apns_key_id", configuration)
        teamID = try APNsCredentials.identifier("apns_team_id", configuration)
        url = try configuration.url(of: "apns_url")
    }

    private static func identifier(
        _ setting: String, _ configuration: PushConfiguration
    ) throws(PushConfigurationError) -> String {
        let text = configuration.text(of: setting)
        guard text.utf8.count == 10, text.consists(ofLettersDigitsAnd: "") else {
            throw PushConfigurationError(setting, "not 10 letters and digits")
        }
        return text
    }
}

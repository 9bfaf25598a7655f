import OpenSSL
import ParleyProtocol

/// The gateway's account with Google's push service: a service account's JSON file.
struct FCMCredentials: Sendable {
    static let settings = [
        ProviderSetting(
            "fcm_account_file", .secretFile,
            "The JSON file of Google's service account; without it there is no `fcm`."),
        ProviderSetting(
            "fcm_url",
            .url(
                usual: "https://fcm.googleapis.com",
                beginnings: ["https://", "http://localhost", "http://127.0.0.1"]),
            "Google's push service."),
    ]

    let projectID: String
    let clientEmail: String
    /// The id of the account's key; `nil` where the file names none.
    let keyID: String?
    let key: RSA.PrivateKey
    /// Where an assertion is exchanged for an access token (RFC 7523 §2.1).
    let tokenURI: String
    let url: String

    /// `nil` where there is no account file.
    init?(_ configuration: PushConfiguration) throws(PushConfigurationError) {
        guard let account = configuration.values["fcm_account_file"] else { return nil }
        guard account.count <= 65_536, let object = try? JSONObject(parsing: account) else {
            throw FCMCredentials.error("no JSON object")
        }
        projectID = try FCMCredentials.field("project_id", of: object, maximum: 128)
        clientEmail = try FCMCredentials.field("client_email", of: object, maximum: 320)
        tokenURI = try FCMCredentials.field("token_uri", of: object, maximum: 2048)
        keyID = try? object.text("private_key_id", maximum: 128)
        // It stands in a path as it is.
        guard projectID.consists(ofLettersDigitsAnd: "-.:") else { throw FCMCredentials.error("project_id") }
        guard WebURL(tokenURI) != nil else { throw FCMCredentials.error("token_uri") }
        let pem = Array(try FCMCredentials.field("private_key", of: object, maximum: 16_384).utf8)
        guard let key = try? RSA.PrivateKey(pem: pem.span) else { throw FCMCredentials.error("private_key") }
        self.key = key
        url = try configuration.url(of: "fcm_url")
    }

    /// - Parameter field: the field that is missing or wrong.
    private static func error(_ field: String) -> PushConfigurationError {
        PushConfigurationError("fcm_account_file", "not the JSON of a service account: \(field)")
    }

    private static func field(
        _ name: String, of object: JSONObject, maximum: Int
    ) throws(PushConfigurationError) -> String {
        guard let text = try? object.text(name, maximum: maximum), !text.isEmpty else { throw error(name) }
        return text
    }
}

import OpenSSL
import ParleyProtocol

/// The gateway's account with Google's push service: a service account's JSON file.
package struct FCMCredentials: Sendable {
    package static let usualURL = "https://fcm.googleapis.com"

    let projectID: String
    let clientEmail: String
    /// Which of the account's keys it is; `nil` where the file does not say.
    let keyID: String?
    let key: RSA.PrivateKey
    /// Where an access token is had for an assertion (RFC 7523 §2.1).
    let tokenURI: String
    /// Without a slash at its end.
    let url: String

    /// - Parameter account: the JSON of a service account.
    package init(
        account: [UInt8], url: String = FCMCredentials.usualURL
    ) throws(PushConfigurationError) {
        guard account.count <= 65_536, let object = try? JSONObject(parsing: account) else {
            throw .fcmAccount(field: "no JSON object")
        }
        projectID = try FCMCredentials.field("project_id", of: object, maximum: 128)
        clientEmail = try FCMCredentials.field("client_email", of: object, maximum: 320)
        tokenURI = try FCMCredentials.field("token_uri", of: object, maximum: 2048)
        keyID = try? object.text("private_key_id", maximum: 128)
        // It stands in a path as it is.
        guard projectID.consists(ofLettersDigitsAnd: "-.:") else { throw .fcmAccount(field: "project_id") }
        guard PushEndpoint(tokenURI) != nil else { throw .fcmAccount(field: "token_uri") }
        let pem = Array(try FCMCredentials.field("private_key", of: object, maximum: 16_384).utf8)
        guard let key = try? RSA.PrivateKey(pem: pem.span) else { throw .fcmAccount(field: "private_key") }
        self.key = key
        self.url = try ServiceURL.parse(url, setting: "fcm_url")
    }

    private static func field(
        _ name: String, of object: JSONObject, maximum: Int
    ) throws(PushConfigurationError) -> String {
        guard let text = try? object.text(name, maximum: maximum), !text.isEmpty else { throw .fcmAccount(field: name) }
        return text
    }
}

/// A setting of the push services that cannot be used, found when the gateway starts. Nothing of what the setting or
/// its file holds is in it.
package enum PushConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// `apns_key_file`: not a private key of P-256 in PEM.
    case apnsKey
    /// `apns_key_id` or `apns_team_id`: not 10 letters and digits.
    case apnsIdentifier(setting: String)
    /// `fcm_account_file`: not the JSON of a service account; the field that is missing or wrong.
    case fcmAccount(field: String)
    /// `apns_url`, `fcm_url`: not an absolute URL without a path.
    case url(setting: String)
    /// `vapid_subject`: neither a `mailto:` nor an `https:` URL.
    case vapidSubject
    /// The gateway's key for Web Push: not 32 bytes of a private key of P-256.
    case vapidKey
    /// `push_trust_file`: not certificates in PEM.
    case trustRoots

    package var description: String {
        switch self {
        case .apnsKey: "apns_key_file: not a private key of P-256 in PEM (the .p8 file from Apple)"
        case .apnsIdentifier(let setting): "\(setting): not 10 letters and digits"
        case .fcmAccount(let field): "fcm_account_file: not the JSON of a service account: \(field)"
        case .url(let setting): "\(setting): not an absolute URL without a path"
        case .vapidSubject: "vapid_subject: neither a mailto: nor an https: URL"
        case .vapidKey: "the key for Web Push is not the 32 bytes of a private key of P-256"
        case .trustRoots: "push_trust_file: not certificates in PEM"
        }
    }
}

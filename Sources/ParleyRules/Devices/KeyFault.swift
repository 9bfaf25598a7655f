import ParleyProtocol

/// The first fault of the keys and signatures of a request.
package enum KeyFault: Hashable, Sendable, CaseIterable {
    /// A key of low order, or no point of its curve in canonical form: it protects nothing.
    case identityKey, signingKey, linkKey, accountKey
    /// Not by the signing key over the identity key.
    case signature
    /// Not by the account key over the keys of the device.
    case certificate

    var rejection: Rejection {
        switch self {
        case .identityKey: .keyRefused("identity_key")
        case .signingKey: .keyRefused("signing_key")
        case .linkKey: .keyRefused("link_key")
        case .accountKey: .keyRefused("account_key")
        case .signature: Rejection(.badRequest, "signature: not the signing key's over this identity key")
        case .certificate:
            Rejection(.badRequest, "certificate: not the account key's over these keys of this device")
        }
    }
}

extension Rejection {
    fileprivate static func keyRefused(_ field: String) -> Rejection {
        Rejection(.badRequest, "\(field): of low order, or no point of its curve")
    }
}

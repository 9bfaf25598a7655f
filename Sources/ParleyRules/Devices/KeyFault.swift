import ParleyProtocol

/// What is wrong with the keys of a request, or with what signs them: the first of it that is found.
package enum KeyFault: Hashable, Sendable, CaseIterable {
    /// The key is of low order, or no point of its curve in canonical form: it protects nothing.
    case identityKey, signingKey, linkKey, accountKey
    /// Not the signing key's over the identity key.
    case signature
    /// Not the account key's over the keys of the device.
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

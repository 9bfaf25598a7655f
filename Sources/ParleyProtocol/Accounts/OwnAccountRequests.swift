/// An operation of people about their own account.
package protocol OwnAccountRequest: Request {}

extension OwnAccountRequest {
    package static var refusalOfOperators: String? { "An operator has no account of this kind." }
}

/// `account/get`
public struct GetAccount: Query, EmptyRequest, OwnAccountRequest {
    public static let operation = Operation(validatedArea: "account", verb: "get")
    public typealias Reply = AccountState

    public init() {}
}

/// How a user signs in: the `data` of `account/get`.
public struct AccountState: GatewayObject {
    public let user: UserID
    public let email: String?
    public let hasPassword: Bool
    public let providers: [LinkedProvider]

    public init(user: UserID, email: String?, hasPassword: Bool, providers: [LinkedProvider]) {
        (self.user, self.email, self.hasPassword) = (user, email, hasPassword)
        self.providers = providers
    }

    package init<Pass: FieldPass<AccountState>>(fields pass: inout Pass) throws(Pass.Failure) {
        user = try pass.required("user_id", \.user)
        email = try pass.optional("email", \.email, as: .text(EmailAddress.maximumLength))
        hasPassword = try pass.required("has_password", \.hasPassword)
        providers = try pass.required("providers", \.providers, as: .objects())
    }
}

/// A provider by whose word a user signs in.
public struct LinkedProvider: GatewayObject {
    public let provider: IdentityProviderName
    public let linkedAt: Timestamp

    public init(provider: IdentityProviderName, linkedAt: Timestamp) {
        (self.provider, self.linkedAt) = (provider, linkedAt)
    }

    package init<Pass: FieldPass<LinkedProvider>>(fields pass: inout Pass) throws(Pass.Failure) {
        provider = try pass.required("provider", \.provider)
        linkedAt = try pass.required("linked_at", \.linkedAt)
    }
}

/// An address with its password.
public struct EmailCredentials: GatewayObject {
    public let email: EmailAddress
    public let password: AccountPassword

    public init(email: EmailAddress, password: AccountPassword) { (self.email, self.password) = (email, password) }

    package init<Pass: FieldPass<EmailCredentials>>(fields pass: inout Pass) throws(Pass.Failure) {
        email = try pass.required("email", \.email)
        password = try pass.required("password", \.password, as: NewPasswordForm())
    }
}

/// `account/link`: one more way to sign in. An address takes effect when its code comes back by `account/confirm`.
public struct LinkIdentity: AccountCommand, OwnAccountRequest {
    public static let operation = Operation(validatedArea: "account", verb: "link")

    public enum Way: Hashable, Sendable {
        /// The password is the user's own; or it is their first.
        case email(EmailCredentials)
        case provider(ProviderLink)

        /// - Returns: `nil` for neither and for both.
        fileprivate init?(_ email: EmailCredentials?, _ link: ProviderLink?) {
            switch (email, link) {
            case (let email?, nil): self = .email(email)
            case (nil, let link?): self = .provider(link)
            case (nil, nil), (_?, _?): return nil
            }
        }
    }

    public let id: AccountRequestID
    public let way: Way

    public init(id: AccountRequestID, way: Way) { (self.id, self.way) = (id, way) }

    package init<Pass: FieldPass<LinkIdentity>>(fields pass: inout Pass) throws(Pass.Failure) {
        id = try pass.required("id", \.id)
        let email: EmailCredentials? = try pass.part(
            { if case .email(let email) = $0.way { email } else { nil } }, shownBy: "email")
        let link: ProviderLink? = try pass.part(
            { if case .provider(let link) = $0.way { link } else { nil } }, shownBy: "provider")
        way = try pass.combined(
            \.way, from: Way(email, link), or: .badRequest("email, provider", "exactly one of them"))
    }
}

/// A provider's identity that is to be linked.
public struct ProviderLink: GatewayObject {
    public let proof: IdentityProof
    /// The user's password; needed where there is one.
    public let current: AccountPassword?

    public init(_ proof: IdentityProof, current: AccountPassword? = nil) {
        (self.proof, self.current) = (proof, current)
    }

    package init<Pass: FieldPass<ProviderLink>>(fields pass: inout Pass) throws(Pass.Failure) {
        proof = try pass.part(\.proof)
        current = try pass.optional("current", \.current)
    }
}

/// `account/confirm`: the code that was sent to an address that is to be linked.
public struct ConfirmEmail: AccountCommand, OwnAccountRequest {
    public static let operation = Operation(validatedArea: "account", verb: "confirm")
    public typealias Reply = AccountState

    public let id: AccountRequestID
    public let email: EmailAddress
    public let code: AccountCode

    public init(id: AccountRequestID, email: EmailAddress, code: AccountCode) {
        (self.id, self.email, self.code) = (id, email, code)
    }

    package init<Pass: FieldPass<ConfirmEmail>>(fields pass: inout Pass) throws(Pass.Failure) {
        id = try pass.required("id", \.id)
        email = try pass.required("email", \.email)
        code = try pass.required("code", \.code)
    }
}

/// `account/unlink`: one way less to sign in. The last one stays.
public struct UnlinkIdentity: AccountCommand, OwnAccountRequest {
    public static let operation = Operation(validatedArea: "account", verb: "unlink")
    public typealias Reply = AccountState

    public let id: AccountRequestID
    /// ``IdentityProviderName/email`` for the address and its password.
    public let provider: IdentityProviderName
    /// The user's password; needed where there is one.
    public let current: AccountPassword?

    public init(id: AccountRequestID, provider: IdentityProviderName, current: AccountPassword? = nil) {
        (self.id, self.provider, self.current) = (id, provider, current)
    }

    package init<Pass: FieldPass<UnlinkIdentity>>(fields pass: inout Pass) throws(Pass.Failure) {
        id = try pass.required("id", \.id)
        provider = try pass.required("provider", \.provider)
        current = try pass.optional("current", \.current)
    }
}

/// `account/set-password`
public struct SetPassword: AccountCommand, OwnAccountRequest {
    public static let operation = Operation(validatedArea: "account", verb: "set-password")

    public let id: AccountRequestID
    /// The password so far; needed where there is one.
    public let current: AccountPassword?
    public let password: AccountPassword

    public init(id: AccountRequestID, current: AccountPassword? = nil, password: AccountPassword) {
        (self.id, self.current, self.password) = (id, current, password)
    }

    package init<Pass: FieldPass<SetPassword>>(fields pass: inout Pass) throws(Pass.Failure) {
        id = try pass.required("id", \.id)
        current = try pass.optional("current", \.current)
        password = try pass.required("password", \.password, as: NewPasswordForm())
    }
}

/// `account/sign-out-everywhere`: ends devices of the caller's user.
public struct SignOutEverywhere: Command, OwnAccountRequest {
    public static let operation = Operation(validatedArea: "account", verb: "sign-out-everywhere")

    /// Whether the calling device stays signed in.
    public let keepsCaller: Bool

    public init(keepsCaller: Bool = false) { self.keepsCaller = keepsCaller }

    package init<Pass: FieldPass<SignOutEverywhere>>(fields pass: inout Pass) throws(Pass.Failure) {
        keepsCaller = try pass.flag("keep_this", \.keepsCaller)
    }
}

/// `account/delete`: the account ends, with all that is only the user's own.
public struct DeleteAccount: AccountCommand, OwnAccountRequest {
    public static let operation = Operation(validatedArea: "account", verb: "delete")

    public let id: AccountRequestID
    /// The caller's own, so that no slip deletes an account.
    public let user: UserID
    /// Needed where the user has one.
    public let password: AccountPassword?

    public init(id: AccountRequestID, user: UserID, password: AccountPassword? = nil) {
        (self.id, self.user, self.password) = (id, user, password)
    }

    package init<Pass: FieldPass<DeleteAccount>>(fields pass: inout Pass) throws(Pass.Failure) {
        id = try pass.required("id", \.id)
        user = try pass.required("user_id", \.user)
        password = try pass.optional("password", \.password)
    }
}

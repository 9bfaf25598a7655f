/// The device that a sign-in is for.
public struct SignInDevice: GatewayObject {
    /// A device of the user's, which gets a new token; `nil` for a new one.
    public let device: DeviceID?
    /// Chosen by the user.
    public let name: String?

    public init(device: DeviceID? = nil, name: String? = nil) { (self.device, self.name) = (device, name) }

    package init<Pass: FieldPass<SignInDevice>>(fields pass: inout Pass) throws(Pass.Failure) {
        device = try pass.optional("device_id", \.device, without: .omitted)
        name = try pass.optional(
            "device_name", \.name, as: .nonemptyText(Limits.nameCharacters), without: .omitted)
    }
}

/// The requested user id, display name and invite of a new account.
public struct NewUser: GatewayObject {
    public let user: UserID
    public let displayName: String?
    /// Opens the registration where it is for invited people.
    public let invite: InviteToken?

    public init(user: UserID, displayName: String? = nil, invite: InviteToken? = nil) {
        (self.user, self.displayName, self.invite) = (user, displayName, invite)
    }

    package init<Pass: FieldPass<NewUser>>(fields pass: inout Pass) throws(Pass.Failure) {
        user = try pass.required("user_id", \.user)
        displayName = try pass.optional(
            "display_name", \.displayName, as: .nonemptyText(Limits.nameCharacters), without: .omitted)
        invite = try pass.optional("invite", \.invite, without: .omitted)
    }
}

/// A device that has signed in: the `data` of the replies to sign-ins.
public struct SignedIn: GatewayObject {
    public let address: DeviceAddress
    public let credentials: DeviceCredentials

    public init(address: DeviceAddress, credentials: DeviceCredentials) {
        (self.address, self.credentials) = (address, credentials)
    }

    package init<Pass: FieldPass<SignedIn>>(fields pass: inout Pass) throws(Pass.Failure) {
        address = try pass.part(\.address)
        credentials = try pass.part(\.credentials)
    }
}

/// `accounts/sign-in`: by an address and a password.
public struct SignInByPassword: AccountCommand {
    public static let operation = Operation(validatedArea: "accounts", verb: "sign-in")
    package static let askers = Askers.doors
    public typealias Reply = SignedIn

    public let id: AccountRequestID
    public let network: ClientNetwork
    public let email: EmailAddress
    public let password: AccountPassword
    public let device: SignInDevice

    public init(
        id: AccountRequestID, network: ClientNetwork, email: EmailAddress, password: AccountPassword,
        device: SignInDevice = SignInDevice()
    ) {
        (self.id, self.network, self.email, self.password) = (id, network, email, password)
        self.device = device
    }

    package init<Pass: FieldPass<SignInByPassword>>(fields pass: inout Pass) throws(Pass.Failure) {
        id = try pass.required("id", \.id)
        network = try pass.required(ClientNetwork.field, \.network)
        email = try pass.required("email", \.email)
        password = try pass.required("password", \.password)
        device = try pass.part(\.device)
    }
}

/// `accounts/sign-in-with`: by a provider's identity token. It makes the account if there is none yet.
public struct SignInByProvider: AccountCommand {
    public static let operation = Operation(validatedArea: "accounts", verb: "sign-in-with")
    package static let askers = Askers.doors
    public typealias Reply = SignedIn

    public let id: AccountRequestID
    public let network: ClientNetwork
    public let proof: IdentityProof
    /// For an identity without an account.
    public let newUser: NewUser?
    public let device: SignInDevice

    public init(
        id: AccountRequestID, network: ClientNetwork, proof: IdentityProof, newUser: NewUser? = nil,
        device: SignInDevice = SignInDevice()
    ) {
        (self.id, self.network, self.proof) = (id, network, proof)
        (self.newUser, self.device) = (newUser, device)
    }

    package init<Pass: FieldPass<SignInByProvider>>(fields pass: inout Pass) throws(Pass.Failure) {
        id = try pass.required("id", \.id)
        network = try pass.required(ClientNetwork.field, \.network)
        proof = try pass.part(\.proof)
        newUser = try pass.part(\.newUser, shownBy: "user_id")
        device = try pass.part(\.device)
    }
}

/// `accounts/providers`: the ways to get an account.
public struct GetAccountProviders: Query, EmptyRequest {
    public static let operation = Operation(validatedArea: "accounts", verb: "providers")
    package static let askers = Askers.doors
    public typealias Reply = AccountProviders

    public init() {}
}

/// Who may make an account for themselves.
public enum Registration: String, Sendable, CaseIterable, Codable {
    case open
    /// Holders of an invite to a group.
    case invited
    /// Operators alone make accounts.
    case closed
}

/// The `data` of `accounts/providers`.
public struct AccountProviders: GatewayObject {
    public let registration: Named<Registration>
    public let providers: [IdentityProvider]

    public init(registration: Named<Registration>, providers: [IdentityProvider]) {
        (self.registration, self.providers) = (registration, providers)
    }

    package init<Pass: FieldPass<AccountProviders>>(fields pass: inout Pass) throws(Pass.Failure) {
        registration = try pass.required("registration", \.registration)
        providers = try pass.required("providers", \.providers, as: .objects())
    }
}

/// A provider of identities.
public struct IdentityProvider: GatewayObject {
    public let name: IdentityProviderName
    /// The URL of an OpenID Connect issuer.
    public let issuer: String
    /// The ids of this gateway's apps at the provider.
    public let clientIDs: [String]

    public init(name: IdentityProviderName, issuer: String, clientIDs: [String]) {
        (self.name, self.issuer, self.clientIDs) = (name, issuer, clientIDs)
    }

    package init<Pass: FieldPass<IdentityProvider>>(fields pass: inout Pass) throws(Pass.Failure) {
        name = try pass.required("name", \.name)
        issuer = try pass.required("issuer", \.issuer, as: .text(Limits.urlBytes))
        clientIDs = try pass.required("client_ids", \.clientIDs, as: TextsForm())
    }
}

/// `accounts/register`: asks for an account; a code goes to the address. The reply is the same for every address.
public struct Register: AccountCommand {
    public static let operation = Operation(validatedArea: "accounts", verb: "register")
    package static let askers = Askers.doors

    public let id: AccountRequestID
    public let network: ClientNetwork
    public let email: EmailAddress
    public let password: AccountPassword
    public let newUser: NewUser

    public init(
        id: AccountRequestID, network: ClientNetwork, email: EmailAddress, password: AccountPassword, newUser: NewUser
    ) {
        (self.id, self.network, self.email) = (id, network, email)
        (self.password, self.newUser) = (password, newUser)
    }

    package init<Pass: FieldPass<Register>>(fields pass: inout Pass) throws(Pass.Failure) {
        id = try pass.required("id", \.id)
        network = try pass.required(ClientNetwork.field, \.network)
        email = try pass.required("email", \.email)
        password = try pass.required("password", \.password, as: NewPasswordForm())
        newUser = try pass.part(\.newUser)
    }
}

/// `accounts/verify`: makes the account that a code was sent for, and signs in.
public struct VerifyRegistration: AccountCommand {
    public static let operation = Operation(validatedArea: "accounts", verb: "verify")
    package static let askers = Askers.doors
    public typealias Reply = SignedIn

    public let id: AccountRequestID
    public let network: ClientNetwork
    public let email: EmailAddress
    public let code: AccountCode
    /// The registration's password. Without it a code is useless, so the owner of an address cannot activate a
    /// stranger's registration by typing the code.
    public let password: AccountPassword
    public let device: SignInDevice

    public init(
        id: AccountRequestID, network: ClientNetwork, email: EmailAddress, code: AccountCode, password: AccountPassword,
        device: SignInDevice = SignInDevice()
    ) {
        (self.id, self.network, self.email) = (id, network, email)
        (self.code, self.password, self.device) = (code, password, device)
    }

    package init<Pass: FieldPass<VerifyRegistration>>(fields pass: inout Pass) throws(Pass.Failure) {
        id = try pass.required("id", \.id)
        network = try pass.required(ClientNetwork.field, \.network)
        email = try pass.required("email", \.email)
        code = try pass.required("code", \.code)
        password = try pass.required("password", \.password)
        device = try pass.part(\.device)
    }
}

/// `accounts/send-code`: a code goes to the address: for a new password, or for the account that was asked for. The
/// reply is the same for every address.
public struct SendAccountCode: AccountCommand {
    public static let operation = Operation(validatedArea: "accounts", verb: "send-code")
    package static let askers = Askers.doors

    public let id: AccountRequestID
    public let network: ClientNetwork
    public let email: EmailAddress

    public init(id: AccountRequestID, network: ClientNetwork, email: EmailAddress) {
        (self.id, self.network, self.email) = (id, network, email)
    }

    package init<Pass: FieldPass<SendAccountCode>>(fields pass: inout Pass) throws(Pass.Failure) {
        id = try pass.required("id", \.id)
        network = try pass.required(ClientNetwork.field, \.network)
        email = try pass.required("email", \.email)
    }
}

/// `accounts/reset`: a new password by a code. All devices of the user are signed out.
public struct ResetPassword: AccountCommand {
    public static let operation = Operation(validatedArea: "accounts", verb: "reset")
    package static let askers = Askers.doors

    public let id: AccountRequestID
    public let network: ClientNetwork
    public let email: EmailAddress
    public let code: AccountCode
    public let password: AccountPassword

    public init(
        id: AccountRequestID, network: ClientNetwork, email: EmailAddress, code: AccountCode, password: AccountPassword
    ) {
        (self.id, self.network, self.email) = (id, network, email)
        (self.code, self.password) = (code, password)
    }

    package init<Pass: FieldPass<ResetPassword>>(fields pass: inout Pass) throws(Pass.Failure) {
        id = try pass.required("id", \.id)
        network = try pass.required(ClientNetwork.field, \.network)
        email = try pass.required("email", \.email)
        code = try pass.required("code", \.code)
        password = try pass.required("password", \.password, as: NewPasswordForm())
    }
}

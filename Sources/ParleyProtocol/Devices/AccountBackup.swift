/// `account/backup`: the account key, sealed by the user's recovery key, which the gateway does not have (protocol §6).
public struct BackUpAccount: Command {
    public static let operation = Operation(validatedArea: "account", verb: "backup")

    /// In bytes.
    public static let lengths = 1...4096

    public let blob: [UInt8]

    public init(blob: [UInt8]) { self.blob = blob }

    package init<Pass: FieldPass<BackUpAccount>>(fields pass: inout Pass) throws(Pass.Failure) {
        blob = try pass.required("blob", \.blob, as: .base64(BackUpAccount.lengths))
    }
}

/// The `data` of a reply to `account/get-backup`.
public struct AccountBackup: GatewayObject {
    public let blob: [UInt8]
    public let updatedAt: Timestamp

    public init(blob: [UInt8], updatedAt: Timestamp) { (self.blob, self.updatedAt) = (blob, updatedAt) }

    package init<Pass: FieldPass<AccountBackup>>(fields pass: inout Pass) throws(Pass.Failure) {
        blob = try pass.required("blob", \.blob, as: .base64(BackUpAccount.lengths))
        updatedAt = try pass.required("updated_at", \.updatedAt)
    }
}

/// `account/get-backup`
public struct GetAccountBackup: Query, EmptyRequest {
    public static let operation = Operation(validatedArea: "account", verb: "get-backup")
    public typealias Reply = AccountBackup

    public init() {}
}

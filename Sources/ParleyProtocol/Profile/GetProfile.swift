/// `profile/get`
public struct GetProfile: Query {
    public static let operation = Operation(validatedArea: "profile", verb: "get")
    public typealias Reply = ShownProfile

    /// `nil` for the caller, who alone sees their settings.
    public let user: UserID?

    public init(user: UserID? = nil) { self.user = user }

    package init<Pass: FieldPass<GetProfile>>(fields pass: inout Pass) throws(Pass.Failure) {
        user = try pass.optional("user_id", \.user)
    }
}

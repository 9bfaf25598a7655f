/// `profile/get`
public struct GetProfile: Query {
    public static let operation = Operation(validatedArea: "profile", verb: "get")
    public static let fields = "user_id? (the caller)"
    public typealias Reply = ShownProfile

    /// `nil` for the caller, who alone sees their settings.
    public let user: UserID?

    public init(user: UserID? = nil) { self.user = user }

    public init(_ object: JSONObject) throws(Rejection) { user = try object.level("user_id") }

    public func writeFields(to object: inout JSONWriter) {
        if let user { object.member("user_id", user) }
    }
}

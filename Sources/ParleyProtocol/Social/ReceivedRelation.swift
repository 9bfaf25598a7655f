/// The `data` of an event that is about one person: `friend.added`, `user.blocked` and their like.
struct ReceivedRelation: GatewayValue {
    let user: UserID

    init(members object: JSONObject) throws(Rejection) {
        user = try object.level("user_id").required("user_id")
    }
}

/// The event `gateway.status`: whether there is a gateway behind the broker.
public struct ReceivedStatus: Hashable, Sendable {
    public enum State: String, Sendable, CaseIterable {
        case online, offline
    }

    public let state: Named<State>
    public let version: String
    public let since: Timestamp

    public init(state: Named<State>, version: String, since: Timestamp) {
        self.state = state
        self.version = version
        self.since = since
    }
}

extension ReceivedStatus: GatewayValue {
    package init(members object: JSONObject) throws(Rejection) {
        self.init(
            state: try object.named("state").required("state"),
            version: try object.text("version", maximum: 64).required("version"),
            since: try object.timestamp("since").required("since"))
    }
}

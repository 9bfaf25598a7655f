import ArgumentParser

/// What carries a message from its sender to its conversation; each is measured with the same devices on the same
/// broker.
enum System: String, CaseIterable, ExpressibleByArgument {
    /// Publishes every request again, and keeps nothing.
    case relay
    /// The same, after it has committed a batch of them to SQLite.
    case storedRelay = "stored-relay"
    /// The gateway, with the event for a reply.
    case gatewayEvent = "gateway"
    /// The gateway, with a reply to each request.
    case gatewayReply = "gateway-with-replies"
    /// A gateway of another build, with the event for a reply.
    case otherGateway = "other-gateway"

    /// Those of one build.
    static let ownSystems = allCases.filter { $0 != .otherGateway }

    var label: String {
        switch self {
        case .relay: "plain relay"
        case .storedRelay: "stored relay"
        case .gatewayEvent: "gateway, event as reply"
        case .gatewayReply: "gateway, with replies"
        case .otherGateway: "other gateway, event as reply"
        }
    }

    var form: ReplyForm {
        switch self {
        case .relay, .storedRelay, .gatewayEvent, .otherGateway: .event
        case .gatewayReply: .reply
        }
    }

    var isGateway: Bool {
        switch self {
        case .relay, .storedRelay: false
        case .gatewayEvent, .gatewayReply, .otherGateway: true
        }
    }
}

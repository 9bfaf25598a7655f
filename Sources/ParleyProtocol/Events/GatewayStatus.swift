/// The event `gateway.status`, retained on `gateway/status`: whether there is a gateway behind the broker.
public struct GatewayStatus: AddressedEvent, GatewayObject {
    package static let names = ["gateway.status"]
    package static var isRetained: Bool { true }
    package var topic: Topic { .gatewayStatus }
    package var received: ReceivedEvent { .ignored }

    public enum State: String, Sendable, CaseIterable {
        case online, offline
    }

    public let state: Named<State>
    public let version: String
    public let since: Timestamp
    /// The name of the gateway where several share a store.
    public let cell: String?

    public init(state: Named<State>, version: String, since: Timestamp, cell: String? = nil) {
        (self.state, self.version, self.since, self.cell) = (state, version, since, cell)
    }

    package init<Pass: FieldPass<GatewayStatus>>(fields pass: inout Pass) throws(Pass.Failure) {
        state = try pass.required("state", \.state)
        version = try pass.required("version", \.version, as: .text(64))
        since = try pass.required("since", \.since)
        cell = try pass.optional("cell", \.cell, as: .text(64), without: .omitted)
    }
}

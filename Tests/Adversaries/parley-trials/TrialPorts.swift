/// The brokers at which the people of a trial are connected.
struct TrialPorts {
    /// Who cuts off, and who stays.
    let keeper: UInt16
    /// The devices of the one concerned that listen.
    let listener: UInt16
    /// The device by which the one concerned acts, and who talks.
    let talker: UInt16
    /// Whether they share a database, and what one has committed comes to the other by its stream.
    let areApart: Bool

    /// With several brokers nobody listens at the one at which they are cut off.
    ///
    /// - Parameter ports: at least one.
    init(_ ports: [UInt16], trial: Int) {
        keeper = ports[trial % ports.count]
        listener = ports[(trial + 1) % ports.count]
        talker = ports[trial / ports.count % ports.count]
        areApart = ports.count > 1
    }
}

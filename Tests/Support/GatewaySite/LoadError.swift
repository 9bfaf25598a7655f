/// An error that ends the devices of a site.
package enum LoadError: Error, CustomStringConvertible {
    case refused(String, UInt8)
    case missing(String)
    /// A refusal of the gateway.
    case rejected(String)
    case interrupted

    package var description: String {
        switch self {
        case .refused(let packet, let reason): "the broker answered \(packet) with reason \(reason)"
        case .rejected(let answer): "the gateway answered \(answer)"
        case .missing(let packet): "some device got no \(packet)"
        case .interrupted: "interrupted"
        }
    }
}

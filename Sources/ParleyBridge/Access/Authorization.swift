import ParleyProtocol
import ParleyStore

extension Incoming {
    /// Whether the device that sent this may ask for it, as things stand now: what the broker let through may have
    /// waited since, and a device that was revoked meanwhile is nobody.
    func authorize(_ device: DeviceState?) throws(Rejection) {
        guard let device else { throw Rejection(.unauthenticated, "This device was revoked.") }
        if isForOperators, !device.isOperator {
            throw Rejection(.forbidden, "Only an operator may do this.")
        }
    }
}

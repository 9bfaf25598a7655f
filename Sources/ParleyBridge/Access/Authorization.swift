import ParleyProtocol
import ParleyStore

extension Incoming {
    /// Checks that the device that sent this may still ask for it: what the broker let through may have waited since,
    /// and the device may have been revoked meanwhile.
    func authorize(_ device: DeviceState?) throws(Rejection) {
        guard let device else { throw Rejection(.unauthenticated, "This device was revoked.") }
        if isForOperators, !device.isOperator {
            throw Rejection(.forbidden, "Only an operator may do this.")
        }
    }
}

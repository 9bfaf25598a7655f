import ParleyProtocol
import ParleyRules
import ParleyStore

extension Incoming {
    /// Checks that the device that sent this may still ask for it.
    func authorize(_ device: DeviceState?) throws(Rejection) {
        try AuthorizeRule.check(isForOperators: isForOperators, isOperator: device?.isOperator)
    }
}

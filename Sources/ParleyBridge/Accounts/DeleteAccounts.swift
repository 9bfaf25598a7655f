import ParleyProtocol
import ParleyRules
import ParleyStore

extension DeleteAccount: AccountHandler {
    var work: DeskWork { .hashing }

    func uses(by sender: DeviceAddress) -> [AccountUse] { [.attempt(.user(sender.user))] }

    func find(in context: DeskContext) throws -> PasswordProof { try PasswordProof(password, in: context) }

    /// - Returns: the user's devices.
    func decide(with proof: PasswordProof, in context: DecisionContext) throws -> [DeviceAddress] {
        try DeleteAccountRule.decide(user, by: context.sender.user)
        try proof.check(in: context)
        return try context.facts.devices.addresses(of: user)
    }

    func carryOut(_ devices: [DeviceAddress], in context: ApplyContext) throws(StoreError) -> AccountRequestOutcome {
        try context.deleteAccount(by: context.sender, devices)
        return .done
    }
}

extension ApplyContext {
    /// Revokes all access of a user at once. A duty removes the rest, in parts.
    ///
    /// - Parameters:
    ///   - device: of the user, by which they leave their conversations.
    ///   - devices: all of the user's.
    func deleteAccount(by device: DeviceAddress, _ devices: [DeviceAddress]) throws(StoreError) {
        try revoke(devices)
        try transaction.accountRemovals.begin(device)
        try transaction.blobs.discardUnnamed(of: device.user, at: steady)
        wakeBlobRemoval()
        try clear(.user(device.user, .presence))
        afterCommit.wake(AccountRemovalDuty.self, at: steady)
    }
}

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

    /// Revokes all access of the user at once. A duty removes the rest, in parts.
    func carryOut(_ devices: [DeviceAddress], in context: ApplyContext) throws(StoreError) -> AccountRequestOutcome {
        try context.revoke(devices)
        try context.transaction.accountRemovals.begin(context.sender)
        try context.transaction.blobs.discardUnnamed(of: user, at: context.steady)
        context.wakeBlobRemoval()
        try context.clear(.user(user, .presence))
        context.afterCommit.wake(AccountRemovalDuty.self, at: context.steady)
        return .done
    }
}

import ParleyProtocol
import ParleyRules
import ParleyStore
import Sodium

/// The work that a request about an account needs outside the writer.
enum DeskWork {
    case none
    /// A password is hashed, on the desk's own thread.
    case hashing
    /// A provider's identity token is checked.
    case identity(IdentityProof)
    /// Both, the token first.
    case identityAndHashing(IdentityProof)
}

/// The result of that work.
struct AccountFinding: Sendable {
    /// Of the request, 16 bytes.
    let digest: [UInt8]
    /// `nil` for a repeat, for which there is no work.
    let value: (any Sendable)?
}

/// A command about an account as the gateway carries it out: limited by sender and account, with its slow work done
/// outside the writer, and carried out once.
protocol AccountHandler: OnceHandler, AccountCommand where Outcome == AccountRequestOutcome {
    associatedtype Finding: Sendable = Nothing
    /// As in ``OnceHandler``: named here too, so that it is inferred from `decide`.
    associatedtype New

    var work: DeskWork { get }

    /// Charged before anything is read.
    ///
    /// - Parameter sender: the calling device.
    func uses(by sender: DeviceAddress) -> [AccountUse]

    /// Does the work, on another thread than the writer's.
    ///
    /// - Throws: a `Rejection`, or an error of the store.
    func find(in context: DeskContext) throws -> Finding

    /// - Throws: a `Rejection`, or an error of the store.
    func decide(with finding: Finding, in context: DecisionContext) throws -> New

    func carryOut(_ new: New, in context: ApplyContext) throws(StoreError) -> AccountRequestOutcome

    /// Replies to a request that is done.
    func reply(in context: ApplyContext) throws(StoreError)
}

/// The finding of a request that needs none.
struct Nothing: Sendable {}

extension AccountHandler where Finding == Nothing {
    var work: DeskWork { .none }

    func find(in context: DeskContext) -> Nothing { Nothing() }
}

extension AccountHandler {
    func reply(in context: ApplyContext) throws(StoreError) { context.accept { writer in writer.object { _ in } } }

    func digest(in context: DecisionContext) throws -> [UInt8] {
        guard let finding = context.finding else { throw Rejection.unavailable }
        return finding.digest
    }

    func first(in context: DecisionContext) throws -> (digest: [UInt8]?, outcome: () throws -> AccountRequestOutcome)? {
        guard let first = try context.facts.accountRequests.request(id.storedName(by: context.tokens)) else {
            return nil
        }
        return (first.digest, { first.outcome })
    }

    func decideNew(in context: DecisionContext) throws -> New {
        // The first copy of the request was carried out while the desk worked on this one, and has expired since.
        guard let finding = context.finding?.value as? Finding else { throw Rejection.unavailable }
        return try decide(with: finding, in: context)
    }

    func make(_ new: New, digest: [UInt8], in context: ApplyContext) throws(StoreError) -> AccountRequestOutcome {
        let outcome = try carryOut(new, in: context)
        let removedAt = context.steady.advanced(by: AccountTimes.repeats)
        try context.transaction.accountRequests.insert(
            id.storedName(by: context.tokens), digest: digest, outcome, removedAt: removedAt)
        context.afterCommit.wake(AccountExpiryDuty.self, at: removedAt)
        return outcome
    }

    func reply(
        with outcome: AccountRequestOutcome, digest: [UInt8], in context: ApplyContext
    ) throws(StoreError) {
        switch outcome {
        case .done: try reply(in: context)
        case .refused: context.refuse(AccountRefusalRule.decide(.codeInvalid, askers: Self.askers))
        case .signedIn(let address): try context.replySignedIn(address, by: digest)
        }
    }
}

enum AccountTimes {
    /// How long a request about an account is stored, so that a repeat does nothing.
    static let repeats = Duration.seconds(3600)
}

extension AccountRequestID {
    /// The name that is stored in its place. A web door derives ids from the fields of requests, passwords among them:
    /// without the gateway's key it cannot be used to guess them.
    func storedName(by tokens: TokenIssuer) throws(StoreError) -> AccountRequestID {
        do {
            let (id, key) = (value.bytes, try tokens.secret(for: "names of account requests"))
            let digest = try BLAKE2b.hash(id.span, length: .bytes16, key: key.span)
            guard let name = UUIDValue.nameBased(digest: digest) else { throw Rejection.internalFault }
            return AccountRequestID(name)
        } catch {
            throw StoreError(error)
        }
    }
}

extension AccountCommand {
    /// Its digest, 16 bytes. It is stored, and covers passwords: without the gateway's key it cannot be used to guess
    /// them.
    func digest(by sender: DeviceAddress, _ tokens: TokenIssuer) throws(SodiumError) -> [UInt8] {
        let (preimage, key) = (identityPreimage(sender: sender), try tokens.secret(for: "account requests"))
        return try BLAKE2b.hash(preimage.span, length: .bytes16, key: key.span)
    }
}

extension ApplyContext {
    /// Replies with a device's credentials, if this request made its token. Since then the device may have been
    /// revoked, and another request may have signed it in: that token is not this sender's.
    ///
    /// - Parameter digest: of the request.
    fileprivate func replySignedIn(_ address: DeviceAddress, by digest: [UInt8]) throws(StoreError) {
        let device = try read { facts in
            try facts.tokens.origin(of: address)?.digest == digest ? try facts.devices.device(address) : nil
        }
        guard let device else { return refuse(.notSignedIn) }
        let signedIn: SignedIn
        do {
            signedIn = SignedIn(address: address, credentials: try tokens.credentials(of: device))
        } catch {
            throw StoreError(error)
        }
        accept(isSecret: true) { signedIn.write(to: &$0) }
    }
}

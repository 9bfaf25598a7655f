import ParleyProtocol
import ParleyRules
import ParleyStore
import Sodium

/// Where what a request about an account needs is found out.
enum DeskWork {
    /// It needs nothing.
    case none
    /// A password is hashed, on the desk's own thread.
    case hashing
    /// A provider's identity token is checked.
    case identity(IdentityProof)
    /// Both, the token first.
    case identityAndHashing(IdentityProof)
}

/// A command about an account as the gateway carries it out: limited by who asks and for whom, worked on beside the
/// writer where it takes long, and carried out once.
protocol AccountHandler: CommandHandler, AccountCommand where Decision == AccountDecision<New> {
    /// What the desk finds out.
    associatedtype Finding: Sendable = Nothing
    /// All that is needed to carry it out.
    associatedtype New

    var work: DeskWork { get }

    /// Charged before anything is read.
    ///
    /// - Parameter sender: the calling device.
    func uses(by sender: DeviceAddress) -> [AccountUse]

    /// The refusal of a wrong code.
    static var codeRefusal: Rejection { get }

    /// Works for it, on another thread than the writer's.
    ///
    /// - Throws: a `Rejection`, or an error of the store.
    func find(in context: DeskContext) throws -> Finding

    /// - Throws: a `Rejection`, or an error of the store.
    func decide(with finding: Finding, in context: DecisionContext) throws -> New

    func carryOut(_ new: New, in context: ApplyContext) throws(StoreError) -> AccountRequestOutcome

    /// Replies to what is done.
    func reply(in context: ApplyContext) throws(StoreError)
}

/// The finding of a request that needs none.
struct Nothing: Sendable {}

enum AccountDecision<New> {
    case repeated(StoredAccountRequest)
    /// - Parameter name: under which the outcome is stored.
    case new(New, name: AccountRequestID, digest: [UInt8])
}

extension AccountHandler where Finding == Nothing {
    var work: DeskWork { .none }

    func find(in context: DeskContext) -> Nothing { Nothing() }
}

extension AccountHandler {
    static var codeRefusal: Rejection { askers == .doors ? .codeInvalid : .ownCodeInvalid }

    func reply(in context: ApplyContext) throws(StoreError) { context.accept { writer in writer.object { _ in } } }

    func decide(in context: DecisionContext) throws -> AccountDecision<New> {
        let digest = try context.accountDigest(of: self)
        let name = try id.storedName(by: context.tokens)
        if let first = try context.facts.accountRequests.request(name) {
            try RepeatRule.check(digest, of: first.digest)
            return .repeated(first)
        }
        let finding = context.finding as? Finding ?? Nothing() as? Finding
        // The first copy of the request was carried out while the desk had this one, and is forgotten since.
        guard let finding else { throw Rejection.unavailable }
        return .new(try decide(with: finding, in: context), name: name, digest: digest)
    }

    func apply(_ decision: AccountDecision<New>, in context: ApplyContext) throws(StoreError) {
        let (outcome, digest): (AccountRequestOutcome, [UInt8])
        switch decision {
        case .repeated(let first): (outcome, digest) = (first.outcome, first.digest)
        case .new(let new, let name, let newDigest):
            (outcome, digest) = (try carryOut(new, in: context), newDigest)
            let removedAt = context.steady.advanced(by: AccountTimes.repeats)
            try context.transaction.accountRequests.insert(name, digest: digest, outcome, removedAt: removedAt)
            context.afterCommit.wake(AccountExpiryDuty.self, at: removedAt)
        }
        switch outcome {
        case .done: try reply(in: context)
        case .refused: context.refuse(Self.codeRefusal)
        case .signedIn(let address): try context.replySignedIn(address, by: digest)
        }
    }
}

enum AccountTimes {
    /// How long a request about an account is known, so that a repeat does nothing.
    static let repeats = Duration.seconds(3600)
}

extension AccountRequestID {
    /// The name that is stored in its place. A web door makes ids of what people send, and passwords are part of that:
    /// without the gateway's key nobody can try words against it.
    func storedName(by tokens: TokenIssuer) throws -> AccountRequestID {
        let (id, key) = (value.bytes, try tokens.secret(for: "names of account requests"))
        let digest = try BLAKE2b.hash(id.span, length: .bytes16, key: key.span)
        guard let name = UUIDValue.nameBased(digest: digest) else { throw Rejection.internalFault }
        return AccountRequestID(name)
    }
}

extension DecisionContext {
    /// The digest of a request about an account, 16 bytes. It is stored, and passwords are part of it: without the
    /// gateway's key nobody can try words against it.
    func accountDigest(of command: some AccountCommand) throws -> [UInt8] {
        let key = try tokens.secret(for: "account requests")
        return try BLAKE2b.hash(command.identityPreimage(sender: sender).span, length: .bytes16, key: key.span)
    }
}

extension ApplyContext {
    /// Replies with a device's credentials, if the request is what has made its token. Since then the device may have
    /// been revoked, and another request may have signed it in again: that token is not this sender's.
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

import LyingGateway
import ParleyClient
import ParleyCrypto
import ParleyProtocol

/// A person with a phone, who has a tablet more and would link it, or has lost the phone and would recover the account.
struct Linking {
    let gateway: LyingGateway
    let phone: LiedToDevice
    let tablet: LiedToDevice
    let friend = UserID(validated: "bob")

    init() throws {
        gateway = try LyingGateway()
        phone = try LiedToDevice(at: gateway)
        tablet = try LiedToDevice(phone.user, DeviceID(validated: "tablet"), at: gateway)
        try gateway.add(friend, hasAccount: true)
    }

    /// How it ended.
    enum Ending: Equatable {
        case linked
        /// The device that was to approve has certified nothing.
        case notApproved(AccountError)
        /// What the gateway answers cannot be read: nothing was certified.
        case unreadable
        /// The new device has refused what it was handed.
        case refused(AccountError)
        /// The digits are others than those of the device that approves, as the person sees.
        case otherDigits
        /// The new device was handed nothing, and has said so.
        case handedNothing
    }

    /// Both devices, with the phone first: it makes the account key.
    func withBoth<Value: Sendable>(
        _ body: @Sendable (MessagingClient, MessagingClient) async throws -> Value
    ) async throws -> Value {
        try await phone.chat { phone, _ in
            try await tablet.chat { tablet, _ in try await body(phone, tablet) }
        }
    }

    /// What careful people do: the code goes from screen to screen, and the account is taken if both show the same
    /// digits.
    func link(_ tablet: MessagingClient, by phone: MessagingClient) async throws -> Ending {
        var events = ClientEvents(tablet)
        let code = try await tablet.linking.offer().code
        let candidate: LinkCandidate
        do throws(ClientError) {
            candidate = try await phone.linking.candidate(code)
            try await phone.linking.approve(candidate)
        } catch {
            switch error {
            case .account(let reason): return .notApproved(reason)
            case .malformedReply: return .unreadable
            default: throw error
            }
        }
        try await events.catchUp(with: gateway, as: self.tablet)
        do throws(ClientError) {
            let handed = try await tablet.linking.handedAccount(timeout: .zero)
            guard handed.digits == candidate.digits else { return .otherDigits }
            try await tablet.linking.adopt(handed)
            return .linked
        } catch {
            switch error {
            case .account(let reason): return .refused(reason)
            case .timedOut: return .handedNothing
            default: throw error
            }
        }
    }
}

import NIOConcurrencyHelpers
import ParleyProtocol
import Sodium

/// One-time tickets for `/ws`: a token sealed for this door and those that share its key, for 30 s.
///
/// A browser's WebSocket can send no header, and URLs end in logs, where a used ticket is worthless. Each door
/// remembers the tickets used with it. Doors behind one balancer do not share that: a ticket that leaks in time is
/// valid once at each of them.
final class Tickets: Sendable {
    /// A ticket that was opened.
    struct Use: Hashable, Sendable {
        fileprivate let nonce: [UInt8]
        fileprivate let expiresAt: Int64
    }

    static let lifetimeMilliseconds: Int64 = 30_000
    /// A ticket in characters: a token of the greatest length, sealed.
    private static let longest = (AccessToken.maximumLength + 64) * 4 / 3
    /// The most tickets that are remembered; beyond that all are refused for a moment.
    private static let mostUsed = 100_000
    private static let context = Array("parley/v1 ws-ticket".utf8)
    private static let timeLength = 8

    private let key: [UInt8]
    private let now: @Sendable () -> Int64
    private let used = NIOLockedValueBox<Set<Use>>([])

    /// - Parameters:
    ///   - key: 32 bytes; `nil` for random ones.
    ///   - now: in milliseconds since 1970.
    init(key: [UInt8]?, now: @escaping @Sendable () -> Int64) throws(SodiumError) {
        if let key {
            self.key = key
        } else {
            self.key = try RandomBytes.make(count: XChaCha20Poly1305.keyLength)
        }
        self.now = now
    }

    /// A ticket in base64url.
    func issue(for token: SessionToken) throws(SodiumError) -> String {
        let nonce = try RandomBytes.make(count: XChaCha20Poly1305.nonceLength)
        let expiresAt = UInt64(now() + Tickets.lifetimeMilliseconds)
        let time = (0..<Tickets.timeLength).map { UInt8(truncatingIfNeeded: expiresAt >> (8 * $0)) }
        let message = time + Array(token.text.utf8)
        let (context, key) = (Tickets.context, key)
        let sealed = try XChaCha20Poly1305.seal(
            message.span, nonce: nonce.span, additionalData: context.span, key: key.span)
        let ticket = nonce + sealed
        var text: [UInt8] = []
        Base64URL.append(ticket.span, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Opens a ticket without using it up.
    ///
    /// - Throws: `unauthenticated`
    func open(_ ticket: some StringProtocol) throws(Rejection) -> (SessionToken, Use) {
        let text = Array(ticket.utf8)
        guard text.count <= Tickets.longest, let bytes = Base64URL.decode(text.span),
            bytes.count > XChaCha20Poly1305.nonceLength
        else { throw Tickets.refusal }
        let nonce = Array(bytes[..<XChaCha20Poly1305.nonceLength])
        let sealed = Array(bytes[XChaCha20Poly1305.nonceLength...])
        let (context, key) = (Tickets.context, key)
        let message: [UInt8]
        do throws(SodiumError) {
            message = try XChaCha20Poly1305.open(
                sealed.span, nonce: nonce.span,
                additionalData: context.span, key: key.span)
        } catch {
            throw Tickets.refusal
        }
        guard message.count > Tickets.timeLength else { throw Tickets.refusal }
        let time = message[..<Tickets.timeLength].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let use = Use(nonce: nonce, expiresAt: Int64(clamping: time))
        guard use.expiresAt > now(), !used.withLockedValue({ $0.contains(use) }),
            let token = SessionToken(String(decoding: message[Tickets.timeLength...], as: UTF8.self))
        else { throw Tickets.refusal }
        return (token, use)
    }

    /// Uses a ticket up.
    ///
    /// - Throws: `unauthenticated` for a used one.
    func redeem(_ use: Use) throws(Rejection) {
        let now = now()
        let isFirst = used.withLockedValue { used in
            if used.count >= Tickets.mostUsed { used = used.filter { $0.expiresAt > now } }
            return used.count < Tickets.mostUsed && used.insert(use).inserted
        }
        guard isFirst else { throw Tickets.refusal }
    }

    private static let refusal = Rejection(.unauthenticated, "This ticket opens nothing, or not any more.")
}

/// The response with a ticket.
struct IssuedTicket: GatewayObject {
    let ticket: String
    /// In seconds.
    let lifetime: Int

    init(ticket: String) { (self.ticket, lifetime) = (ticket, Int(Tickets.lifetimeMilliseconds / 1000)) }

    init<Pass: FieldPass<IssuedTicket>>(fields pass: inout Pass) throws(Pass.Failure) {
        ticket = try pass.required("ticket", \.ticket, as: .text(16_384))
        lifetime = try pass.required("expires_in", \.lifetime, as: .integer(1...60))
    }
}

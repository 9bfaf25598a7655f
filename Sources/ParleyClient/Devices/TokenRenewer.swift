import Platform
import ParleyProtocol

/// Renews the device's token when two thirds of its life are over, and has it kept before it is used (protocol §5).
///
/// A lost reply or a process that ends between two steps costs nothing: as long as nobody has signed in with the new
/// token the old one signs in, and whoever asks again gets the same.
struct TokenRenewer {
    let context: ClientContext

    private static let longestPause: Duration = .seconds(3600)

    nonisolated(nonsending) func run() async {
        guard let renewal = context.configuration.connection.renewal else { return }
        let delay = Double.random(in: 0..<1, using: &context.generator)
        var backoff = Backoff(first: .seconds(10), longest: TokenRenewer.longestPause)
        while !Task.isCancelled {
            let next: ContinuousClock.Instant?
            do {
                let kept = try await renewal.kept()
                let left = kept.renewalTime(delay: delay).milliseconds - context.configuration.now().milliseconds
                if left > 0 {
                    backoff.reset()
                    // Looked at again now and then, since the clock that counts may be set.
                    next = .now + min(.milliseconds(left), TokenRenewer.longestPause)
                } else if context.progress.isConnected {
                    try await renew(kept.credentials, renewal)
                    next = .now + backoff.next(using: &context.generator)
                } else {
                    // The next connection wakes this loop.
                    next = nil
                }
            } catch {
                next = .now + backoff.next(using: &context.generator)
            }
            await context.wakeUps.renewal.wait(until: next)
        }
    }

    private nonisolated(nonsending) func renew(_ former: DeviceCredentials, _ renewal: TokenRenewal) async throws {
        let renewed = try await context.ask(RenewDevice())
        guard renewed.belong(to: context.device) else { throw ClientError.malformedReply }
        try await renewal.replace(former, renewed)
    }
}

extension ClientContext {
    var tokenRenewer: TokenRenewer { TokenRenewer(context: self) }
}

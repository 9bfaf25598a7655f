import Platform
import ParleyProtocol

/// Renews the device's token after two thirds of its lifetime, and stores it before it is used (protocol §5).
///
/// A lost reply or a crash between two steps is harmless: the old token works until the new one is used, and a repeated
/// request gets the same one.
struct TokenRenewer {
    let progress: ConnectionProgress
    let configuration: ClientConfiguration, device: DeviceAddress, gateway: GatewayAccess, hub: EventHub
    let renewalSignal: WakeSignal

    private static let longestPause: Duration = .seconds(3600)
    /// The interval of reports while the renewal fails.
    private static let betweenReports: Duration = .seconds(3600)

    nonisolated(nonsending) func run() async {
        guard let renewal = configuration.connection.renewal else { return }
        let delay = Double.random(in: 0..<1)
        var backoff = Backoff(first: .seconds(10), longest: TokenRenewer.longestPause)
        var reportedAt: ContinuousClock.Instant?
        while !Task.isCancelled {
            var kept: StoredCredentials?
            var next: ContinuousClock.Instant?
            do throws(TokenRenewalError) {
                let current = try await read(renewal)
                kept = current
                let left = current.renewalTime(delay: delay).milliseconds - configuration.now().milliseconds
                if left > 0 {
                    backoff.reset()
                    reportedAt = nil
                    // Checked again at least hourly, since the wall clock may be set.
                    next = .now + min(.milliseconds(left), TokenRenewer.longestPause)
                } else if progress.isConnected {
                    try await renew(current.credentials, renewal)
                    next = .now + backoff.next()
                }
                // Without a connection the next one wakes this loop.
            } catch {
                next = .now + backoff.next()
                if !Task.isCancelled, reportedAt.map({ $0 + TokenRenewer.betweenReports <= .now }) ?? true {
                    reportedAt = .now
                    hub.emit(.tokenNotRenewed(error, expiresAt: kept?.credentials.expiresAt))
                }
            }
            await renewalSignal.wait(until: next)
        }
    }

    private nonisolated(nonsending) func read(
        _ renewal: TokenRenewal
    ) async throws(TokenRenewalError) -> StoredCredentials {
        do { return try await renewal.stored() } catch { throw .unreadable(error) }
    }

    private nonisolated(nonsending) func renew(
        _ former: DeviceCredentials, _ renewal: TokenRenewal
    ) async throws(TokenRenewalError) {
        let renewed: DeviceCredentials
        do throws(ClientError) {
            renewed = try await gateway.ask(RenewDevice())
            guard renewed.belong(to: device) else { throw .malformedReply }
        } catch {
            throw .notRenewed(error)
        }
        do { try await renewal.replace(former, renewed) } catch { throw .notSaved(error) }
    }
}

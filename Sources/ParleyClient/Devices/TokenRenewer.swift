import Platform
import ParleyProtocol

/// Renews the device's token when two thirds of its life are over, and has it kept before it is used (protocol §5).
///
/// A lost reply or a process that ends between two steps costs nothing: as long as nobody has signed in with the new
/// token the old one signs in, and whoever asks again gets the same.
struct TokenRenewer {
    let progress: ConnectionProgress
    let configuration: ClientConfiguration, device: DeviceAddress, gateway: GatewayAccess, hub: EventHub
    let renewalSignal: WakeSignal

    private static let longestPause: Duration = .seconds(3600)
    /// How often a failure is reported while none succeeds.
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
                    // Looked at again now and then, since the clock that counts may be set.
                    next = .now + min(.milliseconds(left), TokenRenewer.longestPause)
                } else if progress.isConnected {
                    try await renew(current.credentials, renewal)
                    next = .now + backoff.next()
                }
                // Without a connection there is no next time: the next connection wakes this loop.
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

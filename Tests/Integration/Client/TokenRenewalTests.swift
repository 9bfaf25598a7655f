import Foundation
import MQTTClient
import ParleyClient
import ParleyProtocol
import Testing

extension GatewayTests {
    @Suite("A token that a client renews", .timeLimit(.minutes(20)))
    struct TokenRenewalTests {
        private static let hour: Int64 = 3_600_000

        private func isRefused(_ credentials: DeviceCredentials, by gateway: TestGateway) -> Bool {
            do {
                _ = try gateway.connect(credentials, DeviceClient.Options(connection: "old"))
                return false
            } catch {
                return error as? MQTTError == .refused(ReasonCode(rawValue: 0x87))
            }
        }

        @Test("a client gets a new one late in the day of an old one, keeps it, and its next sign-in ends the old one")
        func renewed() async throws {
            let gateway = try SharedGateway.current
            let device = try gateway.chatter()
            let directory = device.configuration.directory
            let made = try gateway.operatorClient().accepted(
                "admin/add-device", ["user_id": .string(device.user.text), "device_id": "phone", "ttl_days": 1])
            let short = try JSONDecoder().decode(DeviceCredentials.self, from: Data(made.bytes))
            try directory.store(short)

            let (kept, tell) = AsyncStream<DeviceCredentials>.makeStream()
            var configuration = device.configuration
            configuration.now = { Timestamp.now.advanced(byMilliseconds: 20 * Self.hour) }
            configuration.connection.renewal = TokenRenewal {
                try directory.readStoredCredentials()
            } replace: { former, renewed in
                if try directory.replace(former, with: renewed) { tell.yield(renewed) }
            }
            let renewed = try await MessagingClient.open(configuration) { _ in
                var kept = kept.makeAsyncIterator()
                return await kept.next()
            }
            #expect(try directory.readCredentials() == renewed)
            #expect((renewed?.expiresAt ?? short.expiresAt) > short.expiresAt.advanced(byMilliseconds: 480 * Self.hour))
            // Nobody has signed in with the new one yet.
            #expect(!isRefused(short, by: gateway))

            try await MessagingClient.open(device.configuration) { try await $0.ready(timeout: chatPatience) }
            #expect(isRefused(short, by: gateway))
        }
    }
}

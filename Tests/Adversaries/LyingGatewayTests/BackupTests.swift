import LyingGateway
import ParleyClient
import ParleyCrypto
import ParleyProtocol
import TestSupport
import Testing

@Suite("A gateway that lies about the backup of an account", .ownThreads, .timeLimit(.minutes(20)))
struct BackupTests {
    private let linking: Linking
    private var gateway: LyingGateway { linking.gateway }

    init() throws { linking = try Linking() }

    /// Two backups by the phone, the second in place of the first.
    private func backUp() async throws -> (older: RecoveryKey, newer: RecoveryKey) {
        try await linking.phone.chat { phone, _ in
            (try await phone.account.backUp(), try await phone.account.backUp())
        }
    }

    @Test("the same without a lie: the account comes back, and contacts see no change")
    func truth() async throws {
        let recovery = try await backUp().newer
        let account = gateway.publishedAccount(of: linking.phone.user)
        try await linking.tablet.chat { tablet, _ in
            try await tablet.account.recover(with: recovery)
            #expect(await tablet.account.isLinked)
            await expect(refusedAs: .alreadyLinked) { try await tablet.account.recover(with: recovery) }
        }
        #expect(gateway.publishedAccount(of: linking.phone.user) == account)
    }

    private enum Ending: Equatable {
        case refused(AccountError)
        case unreadable
    }

    private static func ending(of lie: BackupLie) -> Ending {
        switch lie {
        case .ofAnotherAccount, .ofAnotherUser, .older, .damaged, .truncated: .refused(.wrongRecoveryKey)
        case .tooLong: .unreadable
        case .withheld: .refused(.noBackup)
        }
    }

    @Test(
        "no other account is taken than the one that was backed up with this recovery key",
        arguments: BackupLie.allCases)
    func lie(_ lie: BackupLie) async throws {
        let recovery = try await backUp().newer
        try gateway.tell(.backup(lie), about: linking.phone.user, to: linking.tablet.address)
        let account = gateway.publishedAccount(of: linking.phone.user)
        try await linking.tablet.chat { tablet, _ in
            let ending: Ending
            do throws(ClientError) {
                try await tablet.account.recover(with: recovery)
                Issue.record("it was taken")
                return
            } catch {
                switch error {
                case .account(let reason): ending = .refused(reason)
                case .malformedReply: ending = .unreadable
                default: throw error
                }
            }
            #expect(ending == BackupTests.ending(of: lie))
            #expect(await !tablet.account.isLinked)
            // Nothing is lost by it: the truth comes late.
            gateway.beHonest(about: linking.phone.user)
            try await tablet.account.recover(with: recovery)
            #expect(await tablet.account.isLinked)
        }
        #expect(gateway.publishedAccount(of: linking.phone.user) == account)
    }

    @Test("the recovery key of a backup that was replaced opens the newer one no more")
    func replaced() async throws {
        let older = try await backUp().older
        try await linking.tablet.chat { tablet, _ in
            await expect(refusedAs: .wrongRecoveryKey) { try await tablet.account.recover(with: older) }
            #expect(await !tablet.account.isLinked)
        }
    }

    @Test("an account that was given up meanwhile comes back as one that the gateway refuses, and the person is told")
    func givenUp() async throws {
        let recovery = try await backUp().newer
        try await linking.phone.chat { phone, _ in try await phone.account.reset() }
        let account = gateway.publishedAccount(of: linking.phone.user)
        try await linking.tablet.chat { tablet, events in
            try? await tablet.account.recover(with: recovery)
            try await events.wait(for: "the warning") {
                if case .keys(.ownAccountKeyRefused) = $0 { true } else { false }
            }
        }
        #expect(gateway.publishedAccount(of: linking.phone.user) == account)
    }
}

import Synchronization

extension Settings {
    /// Those that are read at the start alone, by name. All others are taken over while the gateway runs.
    static let needingRestart: Set<String> = Set([
        "typing_interval_ms", "presence_hold_ms", "batch_limit", "waiting_reads", "unpublished_limit",
        "unpublished_bytes", "self_request_seconds", "cached_conversations", "probe_port", "log_format",
        "registration", "account_attempts_per_network", "account_attempts_per_account", "account_mails_per_network",
        "account_mails_per_account", "registrations_per_network", "password_passes", "password_kibibytes",
        "apple_client_ids", "google_client_ids", "identity_providers_file", "mail_url", "mail_credentials_file",
        "mail_from", "mail_sink",
        "push_always", "push_content", "push_deadline_hours", "push_trace_days", "push_concurrency",
        "push_allow_private_endpoints", "push_sink", "push_trust_file",
    ]).union(providerEntries.map(\.name))

    /// What is different in other settings.
    private func differences(to other: Settings) -> [Entry] {
        Settings.entries.filter { entry in
            var copy = self
            return entry.copy(from: other, to: &copy)
        }
    }

    /// Takes over what can change while the gateway runs.
    ///
    /// - Returns: the names of what was taken over, and of what has changed and needs a restart.
    mutating func reload(_ new: Settings) -> SettingsReload {
        let changed = differences(to: new)
        let reloaded = changed.filter(\.isReloadable)
        for entry in reloaded { _ = entry.copy(from: new, to: &self) }
        return SettingsReload(
            reloaded: reloaded.map(\.name), needingRestart: changed.filter { !$0.isReloadable }.map(\.name))
    }
}

/// What came of reading the settings anew.
package struct SettingsReload: Hashable, Sendable {
    package let reloaded: [String]
    package let needingRestart: [String]
}

/// The settings of a gateway that runs. Each thread looks when it comes round whether there are new ones.
final class LiveSettings: Sendable {
    private let settings: Monitor<Settings>
    private let changes = Atomic<Int>(0)

    init(_ settings: Settings) { self.settings = Monitor(settings) }

    var current: Settings { settings.withLock { $0 } }

    /// How often they have changed.
    var generation: Int { changes.load(ordering: .acquiring) }

    func reload(_ new: Settings) -> SettingsReload {
        let reload = settings.withLock { $0.reload(new) }
        if !reload.reloaded.isEmpty { changes.wrappingAdd(1, ordering: .releasing) }
        return reload
    }
}

import ParleyProtocol

extension Settings {
    var registrationOfPeople: Registration { Registration(rawValue: registration) ?? .closed }

    /// The settings of accounts.
    static let accountEntries: [Entry] = [
        Entry(
            "registration", .choice(Registration.allCases.map(\.rawValue), \.registration),
            "Who makes an account for themselves: everybody, who has an invite to a group, or nobody but operators."),
        Entry(
            "account_attempts_per_network", .number(1...10_000_000, \.accountAttemptsPerNetwork),
            "Passwords, codes and identity tokens an hour that are tried from one network (IPv6: a /64)."),
        Entry(
            "account_attempts_per_account", .number(1...10_000_000, \.accountAttemptsPerAccount),
            "Passwords and codes an hour that are tried for one account, or one address that has none."),
        Entry(
            "account_mails_per_network", .number(1...10_000_000, \.accountMailsPerNetwork),
            "Mails with codes an hour that are asked for from one network."),
        Entry(
            "account_mails_per_account", .number(1...10_000_000, \.accountMailsPerAccount),
            "Mails with codes an hour to one address."),
        Entry(
            "registrations_per_network", .number(1...10_000_000, \.registrationsPerNetwork),
            "Accounts an hour that are asked for from one network."),
        Entry(
            "password_passes", .number(1...10, \.passwordPasses),
            "Argon2id: how often a hash of a password passes over its memory."),
        Entry(
            "password_kibibytes", .number(8192...1_048_576, \.passwordKibibytes),
            "Argon2id: the memory of a hash of a password, in KiB; one is made at a time."),
        Entry(
            "apple_client_ids", .text(\.appleClientIDs),
            "The app's names at Apple, spaces between them; without any nobody signs in with Apple."),
        Entry("google_client_ids", .text(\.googleClientIDs), "The same for Google."),
        Entry(
            "identity_providers_file", .text(\.identityProvidersFile),
            "A JSON file of further OpenID Connect providers, by whose word people sign in."),
        Entry(
            "mail_url", .text(\.mailURL),
            "The server that takes mails: `smtps://host:465`, or `smtp://host:587` with STARTTLS."),
        Entry(
            "mail_credentials_file", .text(\.mailCredentialsFile),
            "A file with the user and the password for it, a line each."),
        Entry("mail_from", .text(\.mailFrom), "The address that mails come from."),
        Entry(
            "mail_sink", .text(\.mailSink),
            "A directory in which each mail becomes a file, in place of a server; for development."),
    ]
}

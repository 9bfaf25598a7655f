import Logging
import ParleyIdentity
import ParleyProtocol

extension DataDirectory {
    /// Checks the settings of accounts, and their files.
    ///
    /// - Returns: warnings for the operator: settings that are valid and keep people from their accounts.
    package func checkAccounts(_ settings: Settings) throws(DataDirectoryError) -> [String] {
        let services = try accountServices(settings, logger: Logger(label: "check"))
        var warnings: [String] = []
        if !settings.mailSink.isEmpty {
            warnings.append("mail_sink: mails become files, and reach nobody")
        } else if settings.registrationOfPeople != .closed, settings.mailURL.isEmpty {
            let names = services.identities.providers.map(\.name.text).joined(separator: ", ")
            warnings.append("registration: only by \(names); without mail_url nobody registers an email address")
        }
        return warnings
    }

    /// The identity providers and the mailer of the settings and their files.
    ///
    /// - Throws: for an invalid setting, or one that contradicts another.
    package func accountServices(_ settings: Settings, logger: Logger) throws(DataDirectoryError) -> AccountServices {
        let contradictions = settings.contradictionsOfAccounts
        guard contradictions.isEmpty else {
            throw DataDirectoryError("\(self.settings): \(contradictions.joined(separator: "; "))")
        }
        let (providers, mail) = (try identityProviders(settings), try mailConfiguration(settings))
        do throws(IdentityConfigurationError) {
            // Without a provider there are no connections.
            let identities =
                providers.isEmpty
                ? nil
                : try IdentityProviders(
                    // Only the settings name issuers: one on this machine is the owner's own.
                    IdentityConfiguration(providers: providers, allowsLoopback: true), logger: logger)
            let mailer = try mail.map { (mail) throws(IdentityConfigurationError) in try Mailer(mail, logger: logger) }
            return AccountServices(identityProviders: identities, mailServer: mailer)
        } catch {
            throw DataDirectoryError("\(self.settings): \(error)")
        }
    }

    private func identityProviders(_ settings: Settings) throws(DataDirectoryError) -> [IdentityProviderSettings] {
        var list: [IdentityProviderSettings] = []
        do throws(IdentityConfigurationError) {
            for (name, ids) in [
                (IdentityProviderName.apple, settings.appleClientIDs), (.google, settings.googleClientIDs),
            ] where !ids.isEmpty {
                let audiences = ids.split(separator: " ").map(String.init)
                list.append(try IdentityProviderSettings(name: name, issuer: nil, audiences: audiences))
            }
        } catch {
            throw DataDirectoryError("\(self.settings): \(error)")
        }
        let setting = "identity_providers_file"
        guard let bytes = try file(settings.identityProvidersFile, of: setting, isSecret: false) else { return list }
        do throws(ProviderFileError) {
            return list + (try ProviderFile(parsing: bytes).providers)
        } catch {
            throw DataDirectoryError("\(self.settings): \(setting): \(error)")
        }
    }

    /// `nil` where no mail is sent.
    private func mailConfiguration(_ settings: Settings) throws(DataDirectoryError) -> MailConfiguration? {
        let way: MailConfiguration.Way
        if !settings.mailSink.isEmpty {
            let sink = settings.mailSink
            way = .directory(sink.hasPrefix("/") ? sink : "\(path)/\(sink)")
        } else if !settings.mailURL.isEmpty {
            let credentials = try file(settings.mailCredentialsFile, of: "mail_credentials_file")
            way = .server(url: settings.mailURL, credentials: credentials)
        } else {
            return nil
        }
        let from = settings.mailFrom.isEmpty && !settings.mailSink.isEmpty ? Self.sinkSender : settings.mailFrom
        guard let sender = EmailAddress(from) else {
            throw DataDirectoryError("\(self.settings): mail_from: not an email address")
        }
        return MailConfiguration(way: way, sender: sender)
    }

    /// For mails that are not delivered (RFC 2606 §2).
    private static let sinkSender = "parley@parley.invalid"
}

extension Settings {
    /// The contradictions among the settings of accounts.
    fileprivate var contradictionsOfAccounts: [String] {
        let sendsMail = !mailURL.isEmpty || !mailSink.isEmpty
        let hasProviders = [appleClientIDs, googleClientIDs, identityProvidersFile].contains { !$0.isEmpty }
        let cases = [
            (
                registrationOfPeople != .closed && !sendsMail && !hasProviders,
                "registration: \"\(registration)\" needs a mail_url, for codes, or a provider of identities"
            ),
            (!mailURL.isEmpty && !mailSink.isEmpty, "mail_url and mail_sink: only one of them"),
            (!mailURL.isEmpty && mailFrom.isEmpty, "mail_from: missing, for mail_url"),
            (mailURL.isEmpty && !mailCredentialsFile.isEmpty, "mail_credentials_file: without mail_url"),
        ]
        return cases.filter(\.0).map(\.1)
    }
}

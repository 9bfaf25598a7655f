import HTTPClient
import ParleyProtocol

/// The settings of the gateway's mails.
package struct MailConfiguration: Sendable {
    package enum Way: Sendable {
        /// An SMTP server, and the contents of the file with its user and password, a line each; `nil` without one.
        ///
        /// `smtps://host[:465]` has TLS from the start. `smtp://host[:587]` must have STARTTLS, except on this machine.
        case server(url: String, credentials: [UInt8]?)
        /// A directory in which each mail becomes a file, for development.
        case directory(String)
    }

    package var way: Way
    package var sender: EmailAddress
    /// Trusted certificates in PEM, beside the system's.
    package var trustRoots: [[UInt8]]
    /// Until the end of the TLS handshake, and for each response of the server.
    package var connectLimit: Duration
    /// From the start until the server has accepted the mail.
    package var sendLimit: Duration

    package init(
        way: Way, sender: EmailAddress, trustRoots: [[UInt8]] = [], connectLimit: Duration = .seconds(10),
        sendLimit: Duration = .seconds(30)
    ) {
        self.way = way
        self.sender = sender
        self.trustRoots = trustRoots
        self.connectLimit = connectLimit
        self.sendLimit = sendLimit
    }
}

extension MailSubmission.Server {
    /// The server of a setting.
    init(url: String, credentials: [UInt8]?) throws(IdentityConfigurationError) {
        let isTLS = url.hasPrefix("smtps://")
        let authority = url.dropFirst(isTLS ? 8 : 7)
        guard isTLS || url.hasPrefix("smtp://"), !authority.utf8.contains(where: { "/?".utf8.contains($0) }),
            // Host and port have the form of a web URL.
            let server = WebURL("https://" + authority)
        else { throw IdentityConfigurationError("mail_url", "not smtp://host:port or smtps://host:port") }
        let afterAddress = authority.lastIndex(of: "]").map { authority[$0...] } ?? authority
        let hasPort = afterAddress.contains(":")
        self.init(
            host: server.host, port: hasPort ? server.port : isTLS ? 465 : 587,
            security: isTLS ? .tls : Loopback.has(server.host) ? .none : .startTLS,
            credentials: try credentials.map { (bytes) throws(IdentityConfigurationError) in
                try MailSubmission.Credentials(lines: bytes)
            })
    }
}

extension MailSubmission.Credentials {
    /// User and password, a line each.
    fileprivate init(lines bytes: [UInt8]) throws(IdentityConfigurationError) {
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
            line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        }
        if lines.last?.isEmpty == true { lines.removeLast() }
        guard lines.count == 2,
            lines.allSatisfy({ (1...255).contains($0.count) && $0.allSatisfy { $0 >= 0x20 && $0 != 0x7F } })
        else { throw IdentityConfigurationError("mail_credentials_file", "not a user and a password, a line each") }
        self.init(
            user: String(decoding: lines[0], as: UTF8.self), password: String(decoding: lines[1], as: UTF8.self))
    }
}

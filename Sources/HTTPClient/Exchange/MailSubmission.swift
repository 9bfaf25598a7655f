/// A mail for a server of SMTP (RFC 5321), and how it is reached.
package struct MailSubmission: Sendable {
    /// How the connection is protected.
    package enum Security: Hashable, Sendable {
        /// By TLS from the first byte (RFC 8314 §3.3): `smtps`.
        case tls
        /// By STARTTLS (RFC 3207), without which nothing is sent, no password either.
        case startTLS
        /// Not at all: for a server on this machine.
        case none
    }

    package struct Credentials: Hashable, Sendable {
        package let user: String
        package let password: String

        package init(user: String, password: String) { (self.user, self.password) = (user, password) }
    }

    package struct Server: Hashable, Sendable {
        /// A name, or an address; one of IPv6 without brackets.
        package let host: String
        package let port: Int
        package let security: Security
        package let credentials: Credentials?

        package init(host: String, port: Int, security: Security, credentials: Credentials?) {
            (self.host, self.port, self.security, self.credentials) = (host, port, security, credentials)
        }

        var url: String {
            let scheme = security == .tls ? "smtps" : "smtp"
            return "\(scheme)://\(host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host):\(port)"
        }
    }

    let server: Server
    /// Addresses without angle brackets.
    let sender: String
    let recipient: String
    /// Header and body (RFC 5322), whose lines end in CR LF. libcurl doubles the dots (RFC 5321 §4.5.2).
    let message: [UInt8]

    package init(server: Server, sender: String, recipient: String, message: [UInt8]) {
        (self.server, self.sender, self.recipient, self.message) = (server, sender, recipient, message)
    }

    /// Whether nothing in it ends a command of SMTP or a C string.
    var isWritable: Bool {
        let isVisible = { (text: String) in !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) } }
        let isAddress = { (text: String) in isVisible(text) && !text.utf8.contains { "<>".utf8.contains($0) } }
        let credentials = server.credentials.map { [$0.user, $0.password] } ?? []
        return isVisible(server.host) && !server.host.utf8.contains { "/@#?%[]".utf8.contains($0) }
            && isAddress(sender) && isAddress(recipient)
            && credentials.allSatisfy { text in text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }
    }
}

extension MailSubmission.Credentials: CustomStringConvertible, CustomReflectable {
    package var description: String { "MailSubmission.Credentials" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The reason why a server has not taken a mail.
package enum MailFailure: Error, Hashable, Sendable {
    /// It never will: its answer, from 500 to 599.
    case refused(Int)
    /// It may later: its answer, from 400 to 499.
    case deferred(Int)
    /// No server was asked to take it: there is no connection, TLS or sign-in.
    case notSent(String)
    /// All was sent and no answer has come: the server may have taken it.
    case answerLost(String)
}

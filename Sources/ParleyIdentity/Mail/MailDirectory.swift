import HTTPClient
import ParleyProtocol
import PrivateFiles

/// A directory of mails as files of RFC 5322, for development. They are never removed.
package struct MailDirectory: Sendable {
    private static let suffix = ".eml"

    let path: String
    let sender: EmailAddress

    package init(path: String, sender: EmailAddress) { (self.path, self.sender) = (path, sender) }

    /// Writes a file, mode 0600, atomically. Names sort by time.
    func save(_ mail: Mail, now: Timestamp) -> Result<Void, MailFailure> {
        let id = UInt128.random(in: 0 ... .max)
        let message = MailMessage.compose(mail, from: sender, id: id, now: now)
        do {
            try Files.makePrivateDirectory(path)
            try Files.replace(
                "\(now)-\(String(id, radix: 36))\(MailDirectory.suffix)", in: path, with: message)
            return .success(())
        } catch {
            return .failure(.notSent(error.reason))
        }
    }

    /// The code of the newest mail with a code to an address; `nil` if there is none.
    ///
    /// - Parameter recipient: `nil` for any.
    package static func newestCode(in path: String, for recipient: EmailAddress?) throws(FileError) -> AccountCode? {
        let names = try Files.names(in: path)
            .filter { $0.hasSuffix(suffix) && !$0.hasPrefix(".") }.sorted().reversed()
        for name in names {
            let file = try Files.read("\(path)/\(name)", maximum: 65_536)
            if let code = code(in: String(decoding: file.bytes, as: UTF8.self), for: recipient) { return code }
        }
        return nil
    }

    private static func code(in message: String, for recipient: EmailAddress?) -> AccountCode? {
        let lines = message.split(separator: "\r\n", omittingEmptySubsequences: false)
        if let recipient {
            let isTo = lines.prefix { !$0.isEmpty }.contains { line in
                line.hasPrefix("To: <") && EmailAddress(String(line.dropFirst(5).dropLast())) == recipient
            }
            guard isTo else { return nil }
        }
        for line in lines where line.hasPrefix(MailWording.codeIndent) {
            if let code = AccountCode(String(line.dropFirst(MailWording.codeIndent.utf8.count))) { return code }
        }
        return nil
    }
}

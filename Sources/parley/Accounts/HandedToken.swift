import ParleyClient
import ParleyProtocol

/// A token that an operator has handed over.
struct HandedToken {
    let device: DeviceAddress
    let credentials: DeviceCredentials

    /// Of a file, in bytes.
    private static let longest = 16_384
    /// The end of the year 9999, in seconds since 1970.
    private static let latestEnd: Int64 = 253_402_300_800

    /// Reads it from a file; or from the terminal, or from standard input, where no file is named.
    init(from path: String?) async throws {
        guard let path else {
            var answers = Answers()
            let text = try await answers.required("the token", isSecret: true)
            guard let token = HandedToken(text) else { throw ToolError(.usage, "that is no token of a device") }
            self = token
            return
        }
        let file = SecretFile(path: path, danger: "sign in with it")
        guard let text = try file.readFirstLine(maximum: HandedToken.longest), let token = HandedToken(text) else {
            throw ToolError(
                .noAnswer,
                "\(path.printable) has no token of a device on its first line; an operator makes one by: "
                    + "parley device renew-token UID DID --print-token")
        }
        self = token
    }

    /// - Parameter text: the token alone, or the JSON object that it came in (`admin/add-device`).
    /// - Returns: `nil` if it is none, or not a device's.
    init?(_ text: String) {
        let text = text.trimmed
        var password = text
        if text.hasPrefix("{") {
            guard let object = try? JSONObject(parsing: Array(text.utf8)),
                let credentials = try? DeviceCredentials(members: object)
            else { return nil }
            password = credentials.password
        }
        guard let token = AccessToken(parsing: Array(password.utf8).span), token.claims.role == .device,
            (0..<HandedToken.latestEnd).contains(token.claims.expiresAt)
        else { return nil }
        device = token.claims.address
        credentials = DeviceCredentials(
            of: device, password: password, expiresAt: Timestamp(milliseconds: token.claims.expiresAt * 1000))
    }
}

extension String {
    /// Without blanks at both ends.
    fileprivate var trimmed: String {
        var text = Substring(self)
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }
}

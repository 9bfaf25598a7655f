import ParleyProtocol
import PrivateFiles

/// A bucket of an S3-compatible service, and who asks it.
package struct S3Configuration: Hashable, Sendable {
    package var endpoint: S3Endpoint
    package var bucket: S3Bucket
    package var region: String
    package var credentials: S3Credentials

    package init(endpoint: S3Endpoint, bucket: S3Bucket, region: String, credentials: S3Credentials) {
        (self.endpoint, self.bucket, self.region, self.credentials) = (endpoint, bucket, region, credentials)
    }

    /// Whether a region's name is of letters, digits and hyphens.
    package static func isRegion(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == 0x2D }
    }
}

/// Where the service is: `https://HOST[:PORT]`, or `http://` for one on this machine or behind a tunnel.
package struct S3Endpoint: Hashable, Sendable {
    /// Without a slash at the end.
    let url: String
    /// The value of `Host`.
    let authority: String

    package init?(_ text: String) {
        let schemes = [("https://", ":443"), ("http://", ":80")]
        guard let (scheme, port) = schemes.first(where: { text.hasPrefix($0.0) }) else { return nil }
        var rest = text.dropFirst(scheme.count)
        if rest.last == "/" { rest.removeLast() }
        // libcurl leaves the port of the scheme out of `Host`, and the signature covers `Host`.
        if rest.hasSuffix(port) { rest.removeLast(port.count) }
        let authority = rest.lowercased()
        let isAuthority = authority.utf8.allSatisfy { $0.isASCIILetterOrDigit || ".-:[]".utf8.contains($0) }
        guard !authority.isEmpty, isAuthority else { return nil }
        (self.authority, url) = (authority, scheme + authority)
    }
}

/// A bucket and what the names of all objects in it begin with: `s3://BUCKET[/PREFIX]`.
package struct S3Bucket: Hashable, Sendable {
    let name: String
    /// Empty, or with a slash at its end.
    let prefix: String

    package init?(_ text: String) {
        guard text.hasPrefix("s3://") else { return nil }
        let parts = text.dropFirst(5).split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first, (3...63).contains(name.utf8.count),
            name.utf8.allSatisfy({ ($0.isASCIILetterOrDigit && $0 | 0x20 == $0) || ".-".utf8.contains($0) })
        else { return nil }
        var prefix = parts.count == 2 ? parts[1] : ""
        if prefix.last == "/" { prefix.removeLast() }
        // Without characters that would be written differently in a URL and in a signature.
        let isPlain = prefix.utf8.allSatisfy { $0.isASCIILetterOrDigit || "._-/".utf8.contains($0) }
        let segments = prefix.split(separator: "/", omittingEmptySubsequences: false)
        guard isPlain, prefix.utf8.count <= 512,
            prefix.isEmpty || segments.allSatisfy({ !["", ".", ".."].contains($0) })
        else { return nil }
        (self.name, self.prefix) = (String(name), prefix.isEmpty ? "" : "\(prefix)/")
    }
}

/// An access key.
package struct S3Credentials: Hashable, Sendable {
    let keyID: String
    let secret: String
    /// Of temporary credentials.
    let sessionToken: String?

    package init?(keyID: String, secret: String, sessionToken: String? = nil) {
        let isVisible = { (text: String) in !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) } }
        guard isVisible(keyID), isVisible(secret), sessionToken.map(isVisible) ?? true else { return nil }
        (self.keyID, self.secret, self.sessionToken) = (keyID, secret, sessionToken)
    }

    /// The reason why a file is no credentials.
    package struct FileProblem: Error, Hashable, CustomStringConvertible {
        package let description: String
    }

    /// Reads lines `access_key_id = …`, `secret_access_key = …` and, for temporary ones, `session_token = …`. The names
    /// may begin with `aws_`; empty lines, and those that begin with `#` or `[`, are ignored.
    package init(file path: String) throws(FileProblem) {
        let contents: FileContents
        do throws(FileError) {
            contents = try Files.read(path, maximum: 16_384)
        } catch {
            throw FileProblem(description: "\(error)")
        }
        guard !contents.isOpenToOthers else {
            throw FileProblem(description: "\(path) is open to others: chmod 600 \(path)")
        }
        var values: [String: String] = [:]
        for line in String(decoding: contents.bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
            let line = S3Credentials.trimmed(line)
            guard let first = line.first, first != "#", first != "[" else { continue }
            let parts = line.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { throw S3Credentials.malformed(path) }
            let name = S3Credentials.trimmed(parts[0]).lowercased()
            values[name.hasPrefix("aws_") ? String(name.dropFirst(4)) : name] = String(S3Credentials.trimmed(parts[1]))
        }
        guard let id = values["access_key_id"], let secret = values["secret_access_key"],
            let credentials = S3Credentials(keyID: id, secret: secret, sessionToken: values["session_token"])
        else { throw S3Credentials.malformed(path) }
        self = credentials
    }

    private static func malformed(_ path: String) -> FileProblem {
        FileProblem(description: "\(path) has not the lines access_key_id = … and secret_access_key = …")
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}

extension S3Credentials: CustomStringConvertible, CustomReflectable {
    package var description: String { "S3Credentials" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

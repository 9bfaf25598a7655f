import ParleyProtocol
import PrivateFiles

/// Where a person has signed a device in, by a web door, or by a file or a token that an operator has made:
/// `sign-in.json` in the device's directory. It stays when the device is signed out, so that the next sign-in finds the
/// same device, with its keys.
///
/// A device that an operator has added in the gateway's own directory has none.
package struct SignInRecord: Hashable, Sendable {
    /// The door's base URL, without a slash at its end; `nil` if none is known.
    package let door: String?
    /// The account's address; `nil` for a device that came by a file or a token.
    package let email: EmailAddress?
    /// The broker's address; `nil` for the gateway whose data directory this is, and whose own file says where it is.
    package let endpoint: LocalEndpoint?

    package init(door: String?, email: EmailAddress?, endpoint: LocalEndpoint?) {
        (self.door, self.email, self.endpoint) = (door, email, endpoint)
    }

    fileprivate static let name = "sign-in.json"
    /// In bytes.
    fileprivate static let longest = 16_384

    fileprivate init?(json bytes: [UInt8]) {
        guard let object = try? JSONObject(parsing: bytes) else { return nil }
        do {
            door = try object.text("door", maximum: Limits.urlBytes)
            let text = try object.text("email", maximum: EmailAddress.maximumLength)
            email = text.flatMap { EmailAddress($0) }
            // By a door: both are known. By a file: where the broker is.
            guard text == nil ? object.has("broker") : email != nil && door != nil else { return nil }
        } catch {
            return nil
        }
        guard object.has("broker") else {
            endpoint = nil
            return
        }
        guard let broker = try? object.object("broker"), let endpoint = LocalEndpoint(broker) else { return nil }
        self.endpoint = endpoint
    }

    fileprivate var json: [UInt8] {
        let text = JSONWriter.object { object in
            object.member("door", door)
            object.member("email", email?.text)
            if let endpoint { object.member("broker", object: { endpoint.writeMembers(to: &$0) }) }
        }
        return text + [UInt8(ascii: "\n")]
    }
}

extension LocalEndpoint {
    /// The members that ``init(json:)`` reads.
    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("host", host)
        writer.member("mqtt_port", Int(mqttPort))
        writer.member("scheme", transport.scheme)
        if case .webSocket(let path, _, _) = transport { writer.member("path", path) }
        writer.member("ca_file", transport.caFile)
    }
}

extension DeviceDirectory {
    /// - Returns: `nil` for a device that was not signed in by a door.
    package func readSignInRecord() throws(CredentialsError) -> SignInRecord? {
        let file: FileContents
        do throws(FileError) {
            file = try Files.read("\(path)/\(SignInRecord.name)", maximum: SignInRecord.longest)
        } catch {
            guard error.isMissing else { throw .file(error) }
            return nil
        }
        guard let record = SignInRecord(json: file.bytes) else {
            throw .malformed(path: "\(path)/\(SignInRecord.name)")
        }
        return record
    }

    /// Replaces the file atomically: mode 0600, in directories of mode 0700.
    package func store(_ record: SignInRecord) throws(CredentialsError) {
        do throws(FileError) {
            try make()
            try Files.replace(SignInRecord.name, in: path, with: record.json)
        } catch {
            throw .file(error)
        }
    }
}

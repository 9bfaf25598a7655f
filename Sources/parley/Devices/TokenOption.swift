import ArgumentParser
import ParleyClient
import ParleyProtocol

/// What becomes of a token that an operator has had made: it is kept in the data directory, and printed only when asked
/// for.
struct TokenOption: ParsableArguments {
    @Flag(name: .customLong("print-token"), help: "Print the token too, as password: whoever has it is the device.")
    var prints = false

    /// Keeps the credentials, and prints where they are.
    ///
    /// - Parameter beginning: of the sentence, before the device's name, such as `added`.
    func save(
        _ credentials: DeviceCredentials, of device: DeviceAddress, saying beginning: String, by common: CommonOptions
    ) throws {
        let gateway = common.gateway
        // First, where it is wanted: the token before this one has ended, and a disk that is full must not lose both.
        if prints {
            common.output.print(
                json: credentials.json,
                as: [
                    "username: \(credentials.username)", "client id: \(credentials.clientID)",
                    "password: \(credentials.password)", "until: \(TimeZone.local.civil(credentials.expiresAt).stamp)",
                ])
        }
        do throws(ToolError) {
            try gateway.save(credentials, of: device)
        } catch {
            throw ToolError(
                error.status,
                "\(error.message); the token was made, and another is made by: parley device renew-token "
                    + "\(device.user) \(device.device)")
        }
        guard !prints else { return }
        let path = DeviceDirectory(of: device, in: gateway.path).credentialsPath
        common.output.print(
            json: JSONWriter.object { object in
                object.member("username", credentials.username)
                object.member("client_id", credentials.clientID)
                object.member("expires_at", credentials.expiresAt)
                object.member("credentials_file", path)
            },
            as: [
                "\(beginning) \(device); its token, until \(TimeZone.local.civil(credentials.expiresAt).stamp), is in \(path)"
            ])
    }
}

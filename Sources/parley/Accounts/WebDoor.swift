import HTTPClient
import ParleyClient
import ParleyProtocol
import PrivateFiles

/// A web door, asked about accounts by somebody who is not signed in: `POST /api/v1/accounts/…`.
struct WebDoor: Sendable {
    let address: DoorAddress
    /// For one request with its repeats.
    let timeout: Duration
    /// A PEM file of certificates that are trusted beside the system's.
    let caFile: String?

    /// The longest reply, in bytes.
    private static let longestReply = 65_536
    private static let firstPause = Duration.milliseconds(500)
    /// Of gateways and doors that are away for a moment (RFC 9110 §15.6).
    private static let passing = [502, 503, 504]

    /// Makes one request. It is repeated where an answer was lost, under the same id, which does nothing twice.
    ///
    /// - Parameter fields: those of the operation beside `id`.
    /// - Returns: the `data` of the reply.
    /// - Throws: ``Rejection`` if the gateway refuses, ``ToolError`` if there is no answer.
    @discardableResult
    func ask(_ operation: Operation, _ fields: (inout JSONWriter) -> Void) async throws -> JSONObject {
        let body = WebDoor.body(id: .random(), fields)
        let reply = try await reply(to: operation, body)
        guard let answer = GatewayReply(payload: reply.body), answer.rejection != nil || answer.data != nil else {
            throw ToolError(
                .noAnswer,
                "\(address.text) is no web door, or not one for accounts: it answers with HTTP \(reply.status)")
        }
        if let rejection = answer.rejection { throw rejection }
        guard let data = answer.data else { throw ToolError(.noAnswer, "\(address.text) gives no data") }
        return data
    }

    static func body(id: AccountRequestID, _ fields: (inout JSONWriter) -> Void) -> [UInt8] {
        JSONWriter.object { object in
            object.member("id", id)
            fields(&object)
        }
    }

    private func reply(to operation: Operation, _ body: [UInt8]) async throws -> HTTPReply {
        let limits = HTTPLimits(
            connect: timeout, connections: 1, streams: 1, origins: 1, body: WebDoor.longestReply)
        let client = HTTPClient(limits: limits, trust: try trust())
        async let running: Void = client.run()
        let result: Result<HTTPReply, ToolError>
        do throws(ToolError) {
            result = .success(try await reply(to: operation, body, by: client))
        } catch {
            result = .failure(error)
        }
        client.stop()
        try? await running
        return try result.get()
    }

    private func reply(
        to operation: Operation, _ body: [UInt8], by client: HTTPClient
    ) async throws(ToolError) -> HTTPReply {
        let request = HTTPRequest.post(
            url: "\(address.text)/api/v1/\(operation)",
            headers: [
                HTTPRequest.Header(name: "Content-Type", value: "application/json"),
                HTTPRequest.Header(name: "Accept", value: "application/json"),
            ], body: body)
        let end = ContinuousClock.now + timeout
        var pause = WebDoor.firstPause
        while true {
            let isLast = ContinuousClock.now + pause >= end
            switch await client.send(request, to: .service(address.origin), until: end) {
            case .success(let reply) where isLast || !WebDoor.passing.contains(reply.status): return reply
            case .success: break
            // A person waits: what was never reached is not waited for.
            case .failure(.notSent(let reason)): throw ToolError(.noAnswer, "\(address.text): \(reason)")
            case .failure(.answerLost(let reason)):
                if isLast { throw ToolError(.noAnswer, "\(address.text): \(reason)") }
            }
            try? await Task.sleep(for: pause)
            pause *= 2
        }
    }

    private func trust() throws(ToolError) -> Certificates? {
        guard let caFile else { return nil }
        let file: FileContents
        do throws(FileError) {
            file = try Files.read(caFile, maximum: 1 << 20)
        } catch {
            throw ToolError(.noAnswer, error.description.printable)
        }
        guard let certificates = Certificates(pem: [file.bytes]) else {
            throw ToolError(.noAnswer, "\(caFile.printable) does not hold certificates in PEM")
        }
        return certificates
    }
}

// MARK: The operations

extension WebDoor {
    func register(_ email: EmailAddress, _ password: AccountPassword, as user: NewUser) async throws {
        try await ask(Register.operation) { object in
            object.member("email", email)
            object.member("password", password)
            user.writeMembers(to: &object)
        }
    }

    /// Makes the account that a code was sent for, and signs in.
    func verify(
        _ email: EmailAddress, _ code: AccountCode, _ password: AccountPassword, on device: SignInDevice
    ) async throws -> SignedIn {
        try signedIn(
            await ask(VerifyRegistration.operation) { object in
                object.member("email", email)
                object.member("code", code)
                object.member("password", password)
                device.writeMembers(to: &object)
            })
    }

    func signIn(_ email: EmailAddress, _ password: AccountPassword, on device: SignInDevice) async throws -> SignedIn {
        try signedIn(
            await ask(SignInByPassword.operation) { object in
                object.member("email", email)
                object.member("password", password)
                device.writeMembers(to: &object)
            })
    }

    func sendCode(to email: EmailAddress) async throws {
        try await ask(SendAccountCode.operation) { $0.member("email", email) }
    }

    func reset(_ email: EmailAddress, _ code: AccountCode, to password: AccountPassword) async throws {
        try await ask(ResetPassword.operation) { object in
            object.member("email", email)
            object.member("code", code)
            object.member("password", password)
        }
    }

    private func signedIn(_ data: JSONObject) throws -> SignedIn {
        do throws(Rejection) {
            return try SignedIn(members: data)
        } catch {
            throw ToolError(.noAnswer, "\(address.text) gives no credentials: \(error.message)")
        }
    }
}

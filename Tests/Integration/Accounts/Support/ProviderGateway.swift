import Foundation
import HTTPDoubles
import IdentityDoubles
import ParleyBridge
import ParleyProtocol
import TestSupport

/// A gateway at which people sign in by a provider's word, and the provider.
final class ProviderGateway {
    let rsa: SigningKey
    let p256: SigningKey
    let provider: ProviderDouble
    let gateway: TestGateway
    let door: AccountDoor

    /// - Parameter others: further providers of the settings, by their names.
    init(_ others: [String: ProviderDouble] = [:], isThere: Bool = true) throws {
        (rsa, p256) = (try .rsa("r"), try .p256("p"))
        provider = try ProviderDouble(keys: [rsa, p256])
        if !isThere { provider.answerDocument(.answer(503)) }
        let file = "providers.json"
        gateway = try TestGateway(
            settings: TestGateway.accounts.with(["identity_providers_file": .string(file)]), start: false)
        let list = [("acme", provider)] + others.map { ($0.key, $0.value) }
        let entries = list.map { name, provider -> JSON in
            [
                "name": .string(name), "issuer": .string(provider.issuer),
                "client_ids": ["app.example", "web.example"],
            ]
        }
        try gateway.write((["providers": .array(entries)] as JSON).bytes, to: file)
        try gateway.startBroker()
        try gateway.startParleyd()
        door = try AccountDoor(gateway)
    }

    deinit { provider.close() }

    /// A good one of now.
    func text(of provider: ProviderDouble? = nil, by key: SigningKey? = nil) -> TokenText {
        let key = key ?? rsa
        return TokenText(
            issuer: (provider ?? self.provider).issuer, keyID: key.id, algorithm: key.algorithm,
            issuedAt: Int(Timestamp.systemNow.milliseconds / 1000) - 5)
    }

    func token(
        of subject: String, by key: SigningKey? = nil, _ change: (inout TokenText) -> Void = { _ in }
    ) throws -> String {
        var text = text(by: key)
        text.claims["sub"] = #""\#(subject)""#
        change(&text)
        return String(decoding: try text.signed(by: key ?? rsa), as: UTF8.self)
    }

    func signIn(_ token: String, at provider: String = "acme", _ more: JSON = [:]) throws -> JSON {
        let fields: JSON = ["provider": .string(provider), "id_token": .string(token)]
        return try door.ask("sign-in-with", fields.with(more))
    }
}

import ParleyIdentity
import ParleyProtocol

/// The file of OpenID Connect providers: `{"providers":[{"name","issuer","client_ids","keys_url"?}]}`.
struct ProviderFile {
    let providers: [IdentityProviderSettings]

    private static let mostProviders = 32

    init(parsing bytes: [UInt8]) throws(ProviderFileError) {
        let objects: [JSONObject]
        do {
            objects = try JSONObject(parsing: bytes).objects("providers", maximum: Self.mostProviders) ?? []
        } catch let error as Rejection {
            throw ProviderFileError(description: error.message)
        } catch {
            throw ProviderFileError(description: "not a JSON object")
        }
        guard !objects.isEmpty else { throw ProviderFileError(description: "providers: missing") }
        var providers: [IdentityProviderSettings] = []
        for (index, object) in objects.enumerated() {
            do throws(ProviderFileError) {
                providers.append(try IdentityProviderSettings(object))
            } catch {
                let name = (try? object.text("name", maximum: 64)).map { ", \($0)" } ?? ""
                throw ProviderFileError(description: "provider \(index + 1)\(name): \(error)")
            }
        }
        self.providers = providers
    }
}

/// The fault of the file, for the operator.
struct ProviderFileError: Error, CustomStringConvertible {
    let description: String
}

extension IdentityProviderSettings {
    private static let members: Set<String> = ["name", "issuer", "client_ids", "keys_url"]

    /// A provider of the file.
    fileprivate init(_ object: JSONObject) throws(ProviderFileError) {
        if let unknown = object.names.first(where: { !Self.members.contains($0) }) {
            throw ProviderFileError(description: "\(unknown): unknown")
        }
        do {
            guard let name = try object.level("name", as: IdentityProviderName.self), name != .email else {
                throw ProviderFileError(description: "name: missing, or taken")
            }
            guard let audiences = try object.texts("client_ids", maximum: 32, length: 255) else {
                throw ProviderFileError(description: "client_ids: missing")
            }
            try self.init(
                name: name, issuer: try object.text("issuer", maximum: Limits.urlBytes), audiences: audiences,
                keysURL: try object.text("keys_url", maximum: Limits.urlBytes))
        } catch let error as Rejection {
            throw ProviderFileError(description: error.message)
        } catch let error as ProviderFileError {
            throw error
        } catch {
            throw ProviderFileError(description: "\(error)")
        }
    }
}

/// A setting in `parleyd.json` that belongs to one provider, which lists it.
package struct ProviderSetting: Sendable {
    package enum Value: Hashable, Sendable {
        case text
        /// The path of a file that nobody else may read; the provider gets its contents.
        case secretFile
        /// The URL of the service, without a path.
        case url(usual: String, beginnings: [String])
    }

    package let name: String
    package let value: Value
    /// For the table in `docs/operations.md`.
    package let meaning: String

    init(_ name: String, _ value: Value, _ meaning: String) {
        (self.name, self.value, self.meaning) = (name, value, meaning)
    }

    /// The settings of all providers, in the order of ``PushProviders``.
    package static var all: [ProviderSetting] { PushProviders.all.flatMap { $0.settings } }
}

/// A setting that the push services cannot use, found when the gateway starts. It repeats nothing of the setting's
/// value or file.
package struct PushConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    package let setting: String
    package let problem: String

    init(_ setting: String, _ problem: String) { (self.setting, self.problem) = (setting, problem) }

    package var description: String { "\(setting): \(problem)" }
}

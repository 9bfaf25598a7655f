/// A string that may be sent but not shown: printing, dumping or interpolating it gives `<redacted>`.
package struct Secret: Sendable {
    /// The secret itself. Pass it only to code that needs it.
    package let value: String

    package init(_ value: String) {
        self.value = value
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<redacted>" }
    package var debugDescription: String { "<redacted>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// A value with content, a key or a token, of which neither printing, interpolating, debugging nor dumping shows
/// anything but its ``description``: what is printed ends up in logs.
public protocol PrintedWithoutContent: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension PrintedWithoutContent {
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

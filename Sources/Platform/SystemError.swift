/// The failure of a system call.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The function of the C library.
    package let call: String
    package let errno: Int32

    package init(call: String, errno: Int32) { (self.call, self.errno) = (call, errno) }

    package var description: String { "\(SystemError.reason(errno)) (\(call))" }

    /// The system's text for an error number (`strerror`).
    package static func reason(_ errno: Int32) -> String { unsafe String(cString: strerror(errno)) }
}

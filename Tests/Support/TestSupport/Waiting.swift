import Glibc
import Launch

/// How long a test waits for what must come. Generous: a machine that builds at the same time answers late.
package let patience = Duration.seconds(120)

package struct NeverCameError: Error, CustomStringConvertible {
    package let description: String

    package init(_ what: String) { description = "never came: \(what)" }
}

/// Asks again and again until `condition` gives something.
///
/// - Throws: `NeverCameError` when `patience` is over.
@discardableResult
package func eventually<Value>(_ what: @autoclosure () -> String, _ condition: () throws -> Value?) throws -> Value {
    let deadline = ContinuousClock.now.advanced(by: patience)
    while ContinuousClock.now < deadline {
        if let value = try condition() { return value }
        usleep(5_000)
    }
    throw NeverCameError(what())
}

/// Asks again and again until `condition` holds. Other tasks go on meanwhile.
///
/// - Throws: `NeverCameError` when `patience` is over.
package func waiting(
    for what: @autoclosure () -> String, isolation: isolated (any Actor)? = #isolation,
    until condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now.advanced(by: patience)
    while ContinuousClock.now < deadline {
        if try await condition() { return }
        try await Task.sleep(for: .milliseconds(10))
    }
    throw NeverCameError(what())
}

extension ChildProcess {
    /// Waits for its end, but not for ever: for a program that could ask for something.
    ///
    /// - Returns: its exit status, or 128 and the signal's number.
    package func awaitEnd(_ what: @autoclosure () -> String) throws -> Int32 {
        try eventually("the end of \(what())") { status() }
    }
}

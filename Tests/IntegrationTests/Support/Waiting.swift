import Glibc

/// How long a test waits for what must come. Generous: a machine that builds at the same time answers late.
let patience = Duration.seconds(120)

struct NeverCame: Error, CustomStringConvertible {
    let description: String

    init(_ what: String) { description = "never came: \(what)" }
}

/// Asks again and again until `condition` gives something.
func eventually<Value>(_ what: @autoclosure () -> String, _ condition: () throws -> Value?) throws -> Value {
    let deadline = ContinuousClock.now.advanced(by: patience)
    while ContinuousClock.now < deadline {
        if let value = try condition() { return value }
        usleep(5_000)
    }
    throw NeverCame(what())
}

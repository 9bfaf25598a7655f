import Glibc

// Built by scripts/fuzz.sh together with the sources under test into one module; no target of the package.

/// What libFuzzer calls with each input. `PARLEY_FUZZ` names the parser that gets it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: start == nil ? 0 : count))
    parser(bytes)
    return 0
}

private let parser: @Sendable ([UInt8]) -> Void = {
    guard let name = getenv("PARLEY_FUZZ").map({ String(cString: $0) }) else { fatalError("PARLEY_FUZZ is not set") }
    switch name {
    case "topic": return fuzzTopic
    case "filter": return fuzzFilter
    case "token": return fuzzToken
    case "audience": return fuzzAudience
    case "gate": return fuzzGate
    case "presence": return fuzzPresence
    case "report": return fuzzReport
    case "request": return fuzzRequest
    case "received": return fuzzReceived
    case "packet": return fuzzPacket
    case "connect": return fuzzConnect
    case "account": return fuzzAccount
    default: fatalError("there is no parser \(name)")
    }
}()

/// A property that does not hold is a crash, which libFuzzer reports with the input that made it.
func hold(_ condition: Bool, _ property: StaticString) {
    if !condition { fatalError("does not hold: \(property)") }
}

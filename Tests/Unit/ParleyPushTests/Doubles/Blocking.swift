import Dispatch

/// A call that does not come back in the time that anybody gives it.
enum Blocking {
    static func aWhile() { _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 2) }
}

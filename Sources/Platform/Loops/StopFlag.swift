import Synchronization

/// Asks a loop on another thread to end. Signal its ``WakeUp`` after raising the flag.
package final class StopFlag: Sendable {
    private let raised = Atomic(false)

    package init() {}

    package func raise() {
        raised.store(true, ordering: .releasing)
    }

    package var isRaised: Bool {
        raised.load(ordering: .acquiring)
    }
}

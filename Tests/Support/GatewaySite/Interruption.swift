import Dispatch
import Platform

/// SIGINT and SIGTERM as a flag, so that a run ends its processes and leaves nothing behind.
package struct Interruption {
    package let stop = StopFlag()
    package let wakeUp: WakeUp
    private let sources: [any DispatchSourceSignal]

    package init() throws {
        let wakeUp = try WakeUp()
        let stop = stop
        self.wakeUp = wakeUp
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                stop.raise()
                wakeUp.signal()
            }
            source.resume()
            return source
        }
    }
}

import NIOConcurrencyHelpers
import Metrics

/// The backend of swift-metrics: it stores the values, and writes them in the text format of Prometheus (0.0.4).
package final class MetricsRegistry: MetricsFactory, Sendable {
    private struct Key: Hashable {
        let label: String
        let dimensions: String
    }

    private let values = NIOLockedValueBox<[Key: Value]>([:])

    package init() {}

    /// All values, one a line, sorted.
    package var text: String {
        let values = values.withLockedValue { $0 }
        let lines = values.sorted { ($0.key.label, $0.key.dimensions) < ($1.key.label, $1.key.dimensions) }.map {
            key, value in value.lines(key.label, key.dimensions)
        }
        return lines.joined()
    }

    private func value(_ label: String, _ dimensions: [(String, String)]) -> Value {
        let list = dimensions.map { "\($0.0)=\"\($0.1)\"" }.joined(separator: ",")
        let key = Key(label: label, dimensions: list.isEmpty ? "" : "{\(list)}")
        return values.withLockedValue { values in
            if let value = values[key] { return value }
            let value = Value()
            values[key] = value
            return value
        }
    }

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        value(label, dimensions)
    }

    package func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        value(label, dimensions)
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        value(label, dimensions)
    }

    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        value(label, dimensions)
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        value(label, dimensions)
    }

    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    package func destroyMeter(_ handler: any MeterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}
}

/// A counter or gauge, or the sum and number of recorded values.
private final class Value: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler, TimerHandler {
    private struct State {
        var value = 0.0
        /// `nil` for a counter or gauge.
        var count: Int?
    }

    private let state = NIOLockedValueBox(State())

    func lines(_ label: String, _ dimensions: String) -> String {
        let state = state.withLockedValue { $0 }
        guard let count = state.count else { return "\(label)\(dimensions) \(state.value)\n" }
        return "\(label)_sum\(dimensions) \(state.value)\n\(label)_count\(dimensions) \(count)\n"
    }

    func increment(by amount: Int64) { state.withLockedValue { $0.value += Double(amount) } }
    func increment(by amount: Double) { state.withLockedValue { $0.value += amount } }
    func decrement(by amount: Double) { state.withLockedValue { $0.value -= amount } }
    func set(_ value: Int64) { state.withLockedValue { $0.value = Double(value) } }
    func set(_ value: Double) { state.withLockedValue { $0.value = value } }
    func reset() { state.withLockedValue { $0 = State() } }
    func record(_ value: Int64) { record(Double(value)) }
    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

    func record(_ value: Double) {
        state.withLockedValue { state in
            state.value += value
            state.count = (state.count ?? 0) + 1
        }
    }
}

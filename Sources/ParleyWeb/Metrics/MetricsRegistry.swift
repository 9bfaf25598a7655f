import Metrics
import NIOConcurrencyHelpers
import Prometheus

/// The backend of swift-metrics: it stores the values, and writes them in the text format of Prometheus.
package final class MetricsRegistry: MetricsFactory, Sendable {
    private struct Key: Hashable {
        let label: String
        let dimensions: [String]
    }

    private enum Content {
        case number(Value)
        case times(Times)
    }

    private struct Entry {
        let kind: MetricKind
        let dimensions: [(String, String)]
        let content: Content
    }

    private let entries = NIOLockedValueBox<[Key: Entry]>([:])
    private let meanings: [String: String]

    /// - Parameter meanings: what metrics are, by label, for their help.
    package init(meanings: [String: String] = [:]) { self.meanings = meanings }

    /// All metrics, by name. The names of counters end in `_total`.
    package var text: TextFormat {
        let entries = entries.withLockedValue { $0 }
        let sorted = entries.sorted { one, other in
            one.key.label == other.key.label
                ? one.key.dimensions.lexicographicallyPrecedes(other.key.dimensions) : one.key.label < other.key.label
        }
        var text = TextFormat()
        var last: String?
        for (key, entry) in sorted {
            let name = key.label + (entry.kind == .counter ? "_total" : "")
            if key.label != last { text.family(name, entry.kind, meanings[key.label] ?? key.label) }
            last = key.label
            switch entry.content {
            case .number(let value): text.sample(name, entry.dimensions, value.current)
            case .times(let times): text.histogram(name, entry.dimensions, times.histogram)
            }
        }
        return text
    }

    private func entry(
        _ kind: MetricKind, _ label: String, _ dimensions: [(String, String)], _ content: () -> Content
    ) -> Content {
        let key = Key(label: label, dimensions: dimensions.flatMap { [$0.0, $0.1] })
        return entries.withLockedValue { entries in
            if let entry = entries[key] { return entry.content }
            let new = content()
            entries[key] = Entry(kind: kind, dimensions: dimensions, content: new)
            return new
        }
    }

    private func number(_ kind: MetricKind, _ label: String, _ dimensions: [(String, String)]) -> Value {
        switch entry(kind, label, dimensions, { .number(Value()) }) {
        case .number(let value): value
        // The label is a timer's already.
        case .times: Value()
        }
    }

    private func times(_ label: String, _ dimensions: [(String, String)]) -> Times {
        switch entry(.histogram, label, dimensions, { .times(Times()) }) {
        case .times(let times): times
        case .number: Times()
        }
    }

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        number(.counter, label, dimensions)
    }

    package func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        number(.counter, label, dimensions)
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        number(.gauge, label, dimensions)
    }

    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        times(label, dimensions)
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        times(label, dimensions)
    }

    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    package func destroyMeter(_ handler: any MeterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}
}

/// A counter or gauge.
private final class Value: CounterHandler, FloatingPointCounterHandler, MeterHandler {
    private let value = NIOLockedValueBox(0.0)

    var current: Double { value.withLockedValue { $0 } }

    func increment(by amount: Int64) { value.withLockedValue { $0 += Double(amount) } }
    func increment(by amount: Double) { value.withLockedValue { $0 += amount } }
    func decrement(by amount: Double) { value.withLockedValue { $0 -= amount } }
    func set(_ value: Int64) { self.value.withLockedValue { $0 = Double(value) } }
    func set(_ value: Double) { self.value.withLockedValue { $0 = value } }
    func reset() { value.withLockedValue { $0 = 0 } }
}

/// Times in buckets.
private final class Times: RecorderHandler, TimerHandler {
    let histogram = Histogram(
        [1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 5_000_000, 15_000_000],
        in: .microseconds)

    func recordNanoseconds(_ duration: Int64) { histogram.record(.nanoseconds(duration)) }
    func record(_ value: Int64) { histogram.record(.seconds(value)) }
    func record(_ value: Double) { histogram.record(.seconds(value)) }
}

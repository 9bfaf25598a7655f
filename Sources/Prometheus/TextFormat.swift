/// Writes metrics as Prometheus reads them: its text format, version 0.0.4.
///
/// All samples of a metric follow its ``family(_:_:_:)``.
package struct TextFormat {
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    package typealias Labels = [(name: String, value: String)]

    private var bytes: [UInt8] = []

    package init() { bytes.reserveCapacity(64 * 1024) }

    package var text: String { String(decoding: bytes, as: UTF8.self) }
    /// The text in UTF-8.
    package var utf8: [UInt8] { bytes }

    /// Begins a metric.
    package mutating func family(_ name: String, _ kind: MetricKind, _ help: String) {
        append("# HELP \(name) ")
        appendEscaped(help, quotes: false)
        append("\n# TYPE \(name) \(kind.rawValue)\n")
    }

    package mutating func sample(_ name: String, _ labels: Labels, _ value: Int) {
        append(name)
        append(labels, bound: nil)
        append(" \(value)\n")
    }

    package mutating func sample(_ name: String, _ labels: Labels, _ value: Double) {
        append(name)
        append(labels, bound: nil)
        append(" \(TextFormat.number(value))\n")
    }

    package mutating func sample(_ name: String, _ value: Int) { sample(name, [], value) }

    package mutating func sample(_ name: String, _ value: Double) { sample(name, [], value) }

    package mutating func histogram(_ name: String, _ values: Histogram) { histogram(name, [], values) }

    /// All lines of a histogram.
    package mutating func histogram(_ name: String, _ labels: Labels, _ histogram: Histogram) {
        let reading = histogram.reading
        let bounds = histogram.shownBounds.map(TextFormat.number) + ["+Inf"]
        for (bound, count) in zip(bounds, reading.cumulative) {
            append("\(name)_bucket")
            append(labels, bound: bound)
            append(" \(count)\n")
        }
        sample("\(name)_sum", labels, reading.sum)
        sample("\(name)_count", labels, reading.count)
    }

    /// Whole numbers without a fraction.
    static func number(_ value: Double) -> String {
        guard value.isFinite else { return value.isNaN ? "NaN" : value < 0 ? "-Inf" : "+Inf" }
        return Int(exactly: value).map(String.init) ?? "\(value)"
    }

    // MARK: Parts

    private mutating func append(_ text: String) { bytes += text.utf8 }

    private mutating func append(_ labels: Labels, bound: String?) {
        guard !labels.isEmpty || bound != nil else { return }
        append("{")
        var separator = ""
        for (name, value) in labels {
            append("\(separator)\(name)=\"")
            appendEscaped(value, quotes: true)
            append("\"")
            separator = ","
        }
        if let bound { append("\(separator)le=\"\(bound)\"") }
        append("}")
    }

    /// Backslashes and line feeds are escaped, and in the values of labels quotation marks.
    private mutating func appendEscaped(_ text: String, quotes: Bool) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): append("\\\\")
            case UInt8(ascii: "\n"): append("\\n")
            case UInt8(ascii: "\"") where quotes: append("\\\"")
            default: bytes.append(byte)
            }
        }
    }
}

/// What a metric is, in the words of the text format.
package enum MetricKind: String, Sendable {
    /// Only rises, but for a restart.
    case counter
    /// Rises and falls.
    case gauge
    /// Values in buckets.
    case histogram
}

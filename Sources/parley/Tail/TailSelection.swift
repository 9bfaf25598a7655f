import ParleyProtocol

/// What `parley tail` shows of what its filter matches.
struct TailSelection: CustomStringConvertible {
    let filter: TailFilter
    let stats: Bool
    let retained: Bool

    private static let statistics = Topic.prefix + "gateway/stats/"

    /// Statistics are also shown where the filter names them.
    init(filter: TailFilter, stats: Bool, retained: Bool) {
        self.filter = filter
        self.stats = stats || filter.text.hasPrefix(TailSelection.statistics)
        self.retained = retained
    }

    func shows(_ topic: String, isRetained: Bool) -> Bool {
        (retained || !isRetained) && (stats || !topic.hasPrefix(TailSelection.statistics))
    }

    /// With the options that show more.
    var description: String {
        let missing = (stats ? [] : ["statistics (--stats)"]) + (retained ? [] : ["retained messages (--retained)"])
        return missing.isEmpty ? filter.text : "\(filter.text), without \(missing.joined(separator: " and "))"
    }
}

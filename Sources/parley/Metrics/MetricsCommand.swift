import ArgumentParser
import Foundation
import ParleyClient
import ParleyProtocol

struct MetricsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "metrics", abstract: "Reports what a user has done in a day: challenges count it.",
        subcommands: [ReportMetricsCommand.self])

    @OptionGroup var common: CommonOptions
}

struct ReportMetricsCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Reports the totals of a day, in place of an earlier report of it.",
        discussion: """
            Nothing is added up: a report has all of the day as far as it is known, and takes the place of the one before \
            as a whole. A later report has a higher version, by this machine's clock. What comes of it in challenges may \
            show a moment later.

            Examples:
              parley metrics report --as alice/phone --steps 7000
              parley metrics report --as alice/phone --day 2026-11-26 --steps 9500 --calories 450 --minutes 40
            """)

    @OptionGroup var sender: SenderOptions
    @Option(help: ArgumentHelp("Steps.", valueName: "N")) var steps: Int?
    @Option(help: ArgumentHelp("Calories that were burnt.", valueName: "N")) var calories: Int?
    @Option(help: ArgumentHelp("Minutes of exercise.", valueName: "N")) var minutes: Int?
    @Option(help: ArgumentHelp("Of which day, such as 2026-11-26. Default: today.", valueName: "DAY")) var day:
        CivilDay?
    @Option(help: ArgumentHelp("Where the day was. Default: this system's zone.", valueName: "IANA-NAME")) var zone:
        String?
    @OptionGroup var common: CommonOptions

    func validate() throws {
        let values = [steps, calories, minutes].compactMap(\.self)
        guard !values.isEmpty else { throw ValidationError("--steps, --calories or --minutes says what was done") }
        guard values.allSatisfy(Limits.metricAmounts.contains) else {
            throw ValidationError("a day has 0 to \(Limits.metricAmounts.upperBound) of each")
        }
    }

    func ask(_ client: MessagingClient) async throws -> DayMetrics {
        let now = Timestamp.now
        return try await client.metrics.reportNow(
            MetricValues(steps: steps, calories: calories, exerciseMinutes: minutes),
            on: try day ?? Self.today(at: now), in: zone ?? Foundation.TimeZone.current.identifier,
            version: Int(max(now.milliseconds, 0)))
    }

    func show(_ day: DayMetrics) { common.output.print(day, as: day.sentence) }

    /// By this system's calendar.
    private static func today(at now: Timestamp) throws(ToolError) -> CivilDay {
        guard let day = CivilDay(argument: String(TimeZone.local.civil(now).stamp.prefix(10))) else {
            throw ToolError(.noAnswer, "this system's clock has no day; name it by --day")
        }
        return day
    }
}

extension DayMetrics {
    /// The day in words.
    var sentence: String {
        let amounts: [(Int?, String)] = [
            (values.steps, "steps"), (values.calories, "calories"), (values.exerciseMinutes, "minutes of exercise"),
        ]
        let parts = amounts.compactMap { amount, name in amount.map { "\($0) \(name)" } }
        let doubts = implausible.isEmpty ? "" : "; counted as less: \(implausible.map(\.name).joined(separator: ", "))"
        return "\(day) in \(timeZone): \(parts.joined(separator: ", "))\(doubts)"
    }
}

extension CivilDay: ExpressibleByArgument {
    public init?(argument: String) {
        let parts = argument.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, parts[0].count == 4, let year = Int(parts[0]), let month = Int(parts[1]),
            let date = Int(parts[2])
        else { return nil }
        self.init(year: year, month: month, day: date)
    }
}

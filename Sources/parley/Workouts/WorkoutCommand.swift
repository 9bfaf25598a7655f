import ArgumentParser
import Foundation
import ParleyClient
import ParleyProtocol

struct WorkoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "workout", abstract: "Logs what a user has done, or takes it back.",
        subcommands: [LogWorkoutCommand.self, DeleteWorkoutCommand.self])

    @OptionGroup var common: CommonOptions
}

struct LogWorkoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log", abstract: "Logs a workout: it counts on the boards of the user's groups.",
        discussion: """
            Says the week, its check-ins and the days in a row; in JSON it is the gateway's reply. Exit status 0: \
            logged; 1: refused, as with week_closed for a week that is final; 3: no answer, and by the command that \
            is named then the same workout is logged once, however often it is tried.

            Examples:
              parley workout log --as alice/phone
              parley workout log --as alice/phone --at 2026-01-15T07:30:00Z --zone Europe/Berlin --kind run --minutes 30
            """)

    @OptionGroup var sender: SenderOptions

    @Option(help: ArgumentHelp("When it was done, such as 2026-01-15T07:30:00Z. Default: now.", valueName: "TIME"))
    var at: Timestamp?

    @Option(
        help: ArgumentHelp(
            "Where it was done: its day is the day that it was there. Default: this system's zone.",
            valueName: "IANA-NAME"))
    var zone: String?

    @Option(help: ArgumentHelp("What it was.", valueName: "TEXT")) var kind: String?
    @Option(help: ArgumentHelp("How long it took, at most 1440.", valueName: "MINUTES")) var minutes: Int?

    @Option(help: ArgumentHelp("The workout's id, to try again. Default: a new one.", valueName: "ID"))
    var id: WorkoutID?

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if let minutes, !Limits.workoutMinutes.contains(minutes) {
            throw ValidationError("--minutes takes 0 to \(Limits.workoutMinutes.upperBound)")
        }
        if let kind, kind.unicodeScalars.count > Limits.workoutKindCharacters {
            throw ValidationError("--kind takes at most \(Limits.workoutKindCharacters) characters")
        }
    }

    func run() async throws {
        let workout = LogWorkout(
            id: id ?? .random(), completedAt: at ?? .now, timeZone: zone ?? Foundation.TimeZone.current.identifier,
            kind: kind, minutes: minutes)
        do {
            let device = try sender.device(common.gateway)
            try await common.make(workout, at: workout.completedAt, as: device, \.loggedSentence) {
                var logged = LoggedWorkouts(of: device, common.gateway)
                logged.append(workout.id)
            }
        } catch let failure as ToolError where failure.status == .noAnswer && failure.canBeRepeated {
            throw ToolError(.noAnswer, "\(failure.message); to try again: \(commandLine(of: workout))")
        }
    }

    /// The command that logs the very same workout: another time or zone under its id would be another one.
    func commandLine(of workout: LogWorkout) -> String {
        var words = ["parley", "workout", "log"]
        if let device = sender.named { words += ["--as", device.description] }
        words += ["--id", workout.id.description, "--at", workout.completedAt.description, "--zone", workout.timeZone]
        if let kind = workout.kind { words += ["--kind", kind] }
        if let minutes = workout.minutes { words += ["--minutes", String(minutes)] }
        if let data = common.data { words += ["--data", data] }
        words += common.output.arguments
        return words.map(\.shellWord).joined(separator: " ")
    }
}

struct DeleteWorkoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Takes a workout back: it counts no more, unless its week is final.")

    @OptionGroup var sender: SenderOptions
    @Argument(
        help: ArgumentHelp(
            "The workout; of one that was logged on this device, the beginning of its id is enough.", valueName: "ID"))
    var workout: WorkoutName
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let device = try sender.device(common.gateway)
        let id = try workout.find(among: LoggedWorkouts(of: device, common.gateway))
        try await common.make(DeleteWorkout(id: id), at: nil, as: device, \.sentence)
    }
}

extension CommonOptions {
    /// Makes a request as a device, and prints the reply. Of a week that is closed it says since when.
    ///
    /// - Parameters:
    ///   - time: of the workout, where it is known.
    ///   - sentence: says the reply.
    ///   - keep: what is done before an accepted request is reported.
    fileprivate func make<R: Request>(
        _ request: R, at time: Timestamp?, as device: DeviceAddress, _ sentence: (WorkoutReply) -> String,
        keep: () -> Void = {}
    ) async throws where R.Reply == WorkoutReply {
        let gateway = gateway
        if let warning = gateway.expiryWarning(for: device, now: .now) { Terminal.report(warning) }
        let reply = try await gateway.request(request.operation, payload: request.payload(), as: device)
        let rejection = reply.rejection
        let reasons =
            if rejection?.code == .weekClosed, let time { await gateway.closings(at: time, of: device) } else {
                [String]()
            }
        if reply.isAccepted { keep() }
        guard !output.isJSON else {
            Terminal.printJSON(reply.payload)
            reasons.forEach(Terminal.report)
            if !reply.isAccepted { throw ExitCode(Status.rejected.rawValue) }
            return
        }
        if let rejection {
            throw ToolError(
                .rejected, ([rejection.message] + reasons.map(\.asSentence)).joined(separator: " "))
        }
        guard let data = reply.data, let workout = try? WorkoutReply(members: data) else {
            throw gateway.failure(.malformedReply, device)
        }
        Terminal.print(sentence(workout))
    }
}

import ArgumentParser
import Foundation
import GatewaySite
import Launch
import Platform

struct SignInsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-ins",
        abstract: "Measure how long messages take beside attempts to sign in.",
        discussion: """
            By turns messages alone and beside attempts to sign in with an email address and a password, as a web door asks \
            for them: most are of addresses that nobody has, some have the right password, and each comes from a network of \
            its own. It starts everything itself, in a temporary directory, and leaves nothing behind. The status is 1 if a \
            message was lost, doubled, out of order or refused.
            """)

    @OptionGroup var places: InstallationOptions
    @Option(help: "Conversations of two people in which messages are sent.") var conversations = 50
    @Option(help: "Messages a second.") var messages = 500
    @Option(help: "Attempts to sign in a second.") var attempts = 100
    @Option(help: "Turns of each.") var rounds = 5
    @Option(help: ArgumentHelp("How long each turn is measured.", valueName: "s")) var seconds = 10.0
    @Flag(help: "A first look: one turn of each, of 3 s.") var quick = false

    func validate() throws {
        guard (1...400).contains(conversations), (1...100_000).contains(messages), (1...10_000).contains(attempts),
            (1...1000).contains(rounds), seconds > 0
        else { throw ValidationError("a number is out of range") }
    }

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        let interruption = try Interruption()
        let (rounds, seconds) = quick ? (1, 3) : (rounds, seconds)
        var groups: [Population.Group] = []
        var members: SignInMembers?
        report("filling a database")
        let site = try Site(places.installation) { store, tokens in
            groups = try Population.make(conversations: conversations, members: 2, store: store, tokens: tokens)
            members = try SignInMembers(in: store)
        }
        defer { site.close() }
        guard let members else { throw LoadError.missing("account") }
        let gateway = try site.startGateway()
        defer { gateway.end(grace: Site.grace) }
        var measurement = SignInMeasurement(
            site: site, gateway: gateway, fleet: try Fleet(groups, port: site.port, stop: interruption.stop),
            attempts: SignInAttempts(
                door: try site.webDoorSeat(), members: members, port: site.port, perSecond: attempts,
                stop: interruption.stop),
            plan: LoadPlan(pace: .open(perSecond: messages), form: .event, warmUp: 1, measured: seconds))
        for round in 1...rounds { try measurement.measure(round, of: rounds) }

        let faults = measurement.faults
        places.machine.print(
            measurement.report(messages: messages, attempts: attempts).text(places.machine.style),
            [
                measurement.attemptsLine, "load average after: \(Machine.load)",
                "\(faults.losses) losses, \(faults.duplicates) duplicates, \(faults.reorderings) reorderings, "
                    + "\(faults.refusals) refusals",
            ])
        guard faults.count == 0 else {
            if let refusal = faults.firstRefusal { GatewaySite.report("the first refusal: \(refusal)") }
            throw ExitCode(1)
        }
    }
}

import GatewaySite
import ArgumentParser
import Platform
import ParleyProtocol

struct JSONCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "json",
        abstract: "Measure what the dearest payloads cost the gateway's reader, in nanoseconds a byte.",
        discussion: """
            Each payload is as long as a request may be and is scanned and read as a request, or refused, as often as is \
            said; the shortest time counts. Without a broker, on one thread.
            """)

    @Option(help: "How often each payload is read.") var runs = 50
    @Option(help: ArgumentHelp("End with status 1 if a payload costs more.", valueName: "ns")) var most: Double?
    @OptionGroup var machine: MachineOptions

    func validate() throws {
        guard runs > 0 else { throw ValidationError("--runs takes 1 or more") }
    }

    func run() throws {
        let interruption = try Interruption()
        var table = Table(["payload", "operation", "read as", "ns/byte"], names: 3)
        var worst = 0.0
        for payload in HostilePayload.all {
            var shortest = Int64.max
            var outcome = ""
            for _ in 0..<runs {
                if interruption.stop.isRaised { throw LoadError.interrupted }
                let begun = MonotonicTime.now
                outcome = payload.outcome()
                shortest = min(shortest, MonotonicTime.now - begun)
            }
            let cost = Double(shortest) / Double(payload.bytes.count)
            worst = max(worst, cost)
            table.rows.append([payload.name, payload.type.operation.description, outcome, cost.formatted(2)])
        }
        machine.print(table)
        report("the dearest: \(worst.formatted(2)) ns a byte")
        if let most, worst > most { throw ExitCode.failure }
    }
}

extension HostilePayload {
    /// Reads it as the gateway does: `ok`, or the code of the refusal.
    func outcome() -> String {
        do throws(JSONError) {
            let object = try JSONObject(parsing: bytes, MemberBound(requestOf: type))
            do throws(Rejection) {
                _ = try object.requestID()
                _ = try type.init(members: object)
                return "ok"
            } catch {
                return error.code.rawValue
            }
        } catch {
            return ErrorCode.badRequest.rawValue
        }
    }
}

import parley_model
import TestSupport
import Testing

/// The plugin's rights against an oracle that reads the contract's table of topics (`scripts/model.sh` asks a million
/// questions).
@Suite("Rights, as the contract's words have them", .seeded)
struct AccessOracleTests {
    @Test("the plugin answers random questions as the contract does")
    func agreement() throws {
        var comparison = AccessComparison(seed: Seeded.seed)
        let tally = try comparison.run(questions: 20_000)
        #expect(tally.allowed > 1_000)
        #expect(tally.refused > 1_000)
    }

    @Test("faults are found", arguments: AccessComparison.Fault.allCases)
    func faults(fault: AccessComparison.Fault) {
        #expect(throws: AccessComparison.DifferenceError.self) {
            var comparison = AccessComparison(seed: Seeded.seed, fault: fault)
            _ = try comparison.run(questions: 50_000)
        }
    }
}

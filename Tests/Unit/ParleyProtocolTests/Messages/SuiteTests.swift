import ParleyProtocol
import Testing

@Suite("Suites")
struct SuiteTests {
    @Test("the bound ones have the names and nonces of the suites that they are; one suite is not bound")
    func bound() {
        for bound in ParleyProtocol.Suite.Bound.allCases {
            #expect(bound.suite.rawValue == bound.rawValue && bound.suite.bound == bound)
            #expect(bound.nonceLength == bound.suite.nonceLength)
        }
        let others = ParleyProtocol.Suite.allCases.filter { $0.bound == nil }
        #expect(others.map(\.rawValue) == ["legacy-nacl-box"] && others.map(\.nonceLength) == [24])
    }
}

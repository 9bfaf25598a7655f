import ParleyPush
import Testing

@Suite("Attempts and their outcomes")
struct PushDeliveryTests {
    @Test("what a service says is cut to printable characters")
    func serviceSaysCutPrintable() {
        #expect(PushProblem(status: 500, "a\u{1B}[31mb").description == "a?[31mb")
        #expect(PushProblem(status: 500, String(repeating: "x", count: 400)).description.count == 120)
    }
}

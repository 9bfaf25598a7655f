import ParleyProtocol
import Testing

@testable import parley

@Suite("How long a message lasts")
struct MessageLifetimeTests {
    @Test(
        "a number and a unit say it",
        arguments: [("90s", 90), ("10m", 600), ("2h", 7200), ("3d", 259_200), ("4w", 2_419_200)])
    func written(text: String, seconds: Int) { #expect(MessageLifetime(text)?.seconds == seconds) }

    @Test(
        "anything else is none, and so is what the protocol does not allow",
        arguments: ["", "h", "2", "2 h", "-2h", "0s", "2H", "2.5h", "soon", "9223372036854775807w", "9999w", "٢h"])
    func refused(text: String) { #expect(MessageLifetime(text) == nil) }
}

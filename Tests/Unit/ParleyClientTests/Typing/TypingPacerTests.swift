import ParleyProtocol
import TestSupport
import Testing

@testable import ParleyClient

@Suite("Pacing typing indicators")
struct TypingPacerTests {
    private let start = ContinuousClock.now
    private let conversation = ConversationID.random()

    private func press(_ pacer: inout TypingPacer, _ milliseconds: Int) -> TypingPacer.Signal? {
        pacer.press(conversation, now: time(milliseconds))
    }

    private func due(_ pacer: inout TypingPacer, _ milliseconds: Int) -> [TypingPacer.Signal] {
        pacer.due(now: time(milliseconds))
    }

    private func stop(_ pacer: inout TypingPacer) -> TypingPacer.Signal? { pacer.stop(conversation) }

    private func time(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

    @Test("the first press starts at once, and presses within two seconds of it say nothing")
    func first() {
        var pacer = TypingPacer()
        #expect(press(&pacer, 0) == .start(conversation))
        for instant in [1, 500, 1999] { #expect(press(&pacer, instant) == nil) }
        #expect(press(&pacer, 2000) == .start(conversation))
    }

    @Test("presses since the last start renew it two seconds after that, though no further key is pressed")
    func renewal() {
        var pacer = TypingPacer()
        _ = pacer.press(conversation, now: time(0))
        _ = pacer.press(conversation, now: time(700))
        #expect(pacer.nextDue == time(2000))
        #expect(due(&pacer, 1999) == [])
        #expect(due(&pacer, 2000) == [.start(conversation)])
        #expect(due(&pacer, 4000) == [])
    }

    @Test("five seconds after the last press it stops by itself, once")
    func silence() {
        var pacer = TypingPacer()
        _ = pacer.press(conversation, now: time(0))
        #expect(pacer.nextDue == time(5000))
        #expect(due(&pacer, 4999) == [])
        #expect(due(&pacer, 5000) == [.stop(conversation)])
        #expect(due(&pacer, 9000) == [])
        #expect(pacer.nextDue == nil)
    }

    @Test("it stops when the message is sent, and only where something was written")
    func stop() {
        var pacer = TypingPacer()
        #expect(stop(&pacer) == nil)
        _ = pacer.press(conversation, now: time(0))
        #expect(stop(&pacer) == .stop(conversation))
        #expect(press(&pacer, 100) == .start(conversation))
    }

    @Test(
        "however keys are pressed, no two starts are nearer than two seconds without a stop between", arguments: 0..<100
    )
    func anyPresses(seed: UInt64) {
        var generator = Seeded(seed: seed)
        var pacer = TypingPacer()
        var now = 0
        var lastStart = Int.min / 2
        var lastPress = 0
        var isTyping = false
        for _ in 0..<500 {
            now += Int.random(in: 1...1500, using: &generator)
            var signals = pacer.due(now: time(now)).map { ($0, lastPress) }
            if Int.random(in: 0..<4, using: &generator) > 0 {
                lastPress = now
                if let signal = pacer.press(conversation, now: time(now)) { signals.append((signal, lastPress)) }
            }
            for (signal, press) in signals {
                switch signal {
                case .start:
                    #expect(!isTyping || now - lastStart >= 2000, "seed \(seed)")
                    (lastStart, isTyping) = (now, true)
                case .stop:
                    #expect(isTyping && now - press >= 5000, "seed \(seed)")
                    isTyping = false
                }
            }
        }
    }
}

import ParleyClient
import ParleyProtocol
import Testing

@testable import parley

@Suite("How cards and files look in a terminal")
struct AttachmentTextTests {
    private static func file(_ name: String, size: Int = 1_234_567, type: String = "application/pdf")
        -> ParleyClient.Attachment
    {
        ParleyClient.Attachment(
            key: [UInt8](repeating: 1, count: 32), digest: [UInt8](repeating: 2, count: 32), size: size, name: name,
            mimeType: type)
    }

    @Test(
        "each kind of card has its look",
        arguments: [
            (
                .file(FileMessage(file: file("plan.pdf"), caption: "As promised")),
                "[file] plan.pdf, 1.2 MB, application/pdf, As promised"
            ),
            (
                .image(
                    ImageMessage(
                        file: file("sunrise.png", size: 1, type: "image/png"), width: 640, height: 480,
                        caption: "At six")),
                "[image] sunrise.png, 1 byte, image/png, 640×480, At six"
            ),
            (
                .image(ImageMessage(file: file("a.jpg", size: 999, type: "image/jpeg"), width: 0, height: 9)),
                "[image] a.jpg, 999 bytes, image/jpeg"
            ),
            (
                .voice(
                    VoiceNote(
                        file: file("v.ogg", size: 4200, type: "audio/ogg"), duration: .seconds(75),
                        waveform: [0, 64, 128, 255])),
                "[voice] 1:15, ▁▃▅█, 4.2 kB, audio/ogg"
            ),
            (
                .voice(VoiceNote(file: file("v.ogg", type: "audio/ogg"), duration: .milliseconds(4900))),
                "[voice] 0:04, 1.2 MB, audio/ogg"
            ),
            (
                .dietPlan(DietPlanCard(planID: "d-1", planTitle: "Spring", calories: 1900, days: 28)),
                "[diet plan] Spring, 1900 kcal a day, 28 days, parley://plan/diet/d-1"
            ),
            (
                .workoutPlan(WorkoutPlanCard(planID: "5k", planTitle: "To 5 km", days: 1)),
                "[workout plan] To 5 km, 1 day, parley://plan/workout/5k"
            ),
        ] as [(MessageContent, String)])
    func cards(content: MessageContent, text: String) {
        #expect(content.shown == text)
    }

    @Test(
        "a name is one component of a path and no command, and what is no media type is not shown",
        arguments: [
            ("../../etc/passwd", "passwd"), ("a\u{202E}fdp.exe", "afdp.exe"), ("x\u{1B}[2Jy\nz", "x[2Jyz"),
            ("", "file"), ("C:\\boot.ini", "boot.ini"),
        ])
    func names(name: String, shown: String) {
        #expect(Self.file(name, type: "text/html\u{1B}[2J").shownParts == [shown, "1.2 MB"])
        for type in ["", "/", "a/", "text", "a/b/c", "text/plain; charset=utf-8", "bücher/pdf"] {
            #expect(Self.file(name, type: type).shownType == nil)
        }
        #expect(Self.file(name, type: "Image/SVG+xml").shownType == "image/svg+xml")
    }

    @Test("a waveform has a block for each part, and no more than a row holds")
    func waveform() {
        let note = VoiceNote(file: Self.file("v"), duration: .zero, waveform: [UInt8](0...255))
        #expect(note.shownWaveform?.count == 32)
        #expect(note.shownWaveform?.first == "▁" && note.shownWaveform?.last == "█")
        #expect(VoiceNote(file: Self.file("v"), duration: .seconds(-9), waveform: []).shownWaveform == nil)
        #expect(VoiceNote(file: Self.file("v"), duration: .seconds(-9)).shownDuration == "0:00")
    }

    @Test(
        "bytes are counted in units of a thousand",
        arguments: [
            (0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1000, "1.0 kB"), (9999, "9.9 kB"), (10_000, "10 kB"),
            (999_999, "999 kB"), (1_000_000, "1.0 MB"), (1_073_741_824, "1.0 GB"), (Int.max, "9223 PB"),
        ])
    func bytes(count: Int, text: String) {
        #expect("\(ByteCount(count))" == text)
    }

    @Test("a bar is as long as the file has come, whatever the numbers are")
    func bar() {
        #expect(FileProgress(done: 500_000, total: 1_000_000).bar(columns: 4) == "██░░ 50 % of 1.0 MB")
        #expect(FileProgress(done: 0, total: 0).bar(columns: 2) == "██ 100 % of 0 bytes")
        #expect(FileProgress(done: 9, total: 3).bar(columns: 2) == "██ 100 % of 3 bytes")
        #expect(FileProgress(done: -9, total: 3).bar(columns: 2) == "░░ 0 % of 3 bytes")
    }
}

import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import parley

@Suite("The options of a message's file")
struct AttachmentOptionsTests {
    private let directory: TemporaryDirectory
    private let (recording, other): (String, String)

    init() throws {
        directory = try TemporaryDirectory()
        (recording, other) = ("\(directory.path)/note.wav", "\(directory.path)/note.ogg")
        // Half a second of silence, 8000 samples of a byte a second.
        let format: [UInt8] = [1, 0, 1, 0, 0x40, 0x1F, 0, 0, 0x40, 0x1F, 0, 0, 1, 0, 8, 0]
        let file =
            Array("RIFF....WAVEfmt ".utf8) + [16, 0, 0, 0] + format + Array("data".utf8) + [0xA0, 0x0F, 0, 0]
            + [UInt8](repeating: 128, count: 4000)
        try Data(file).write(to: URL(filePath: recording))
        try Data("OggS".utf8).write(to: URL(filePath: other))
    }

    private func kind(_ arguments: String...) throws -> AttachmentOptions.Kind? {
        try AttachmentOptions.parse(arguments).kind()
    }

    @Test("of a WAV file it is known how long and how loud it is, and what is said counts more")
    func wave() throws {
        let silence = [UInt8](repeating: 0, count: 64)
        #expect(try kind("--voice", recording) == .voice(recording, .milliseconds(500), waveform: silence))
        #expect(
            try kind("--voice", recording, "--duration", "2.5")
                == .voice(recording, .milliseconds(2500), waveform: silence))
        #expect(
            try kind("--voice", recording, "--waveform", "0,7,255")
                == .voice(recording, .milliseconds(500), waveform: [0, 7, 255]))
    }

    @Test("of another recording the duration is said, and the waveform may be")
    func otherRecording() throws {
        #expect(try kind("--voice", other, "--duration", "3") == .voice(other, .seconds(3), waveform: nil))
        #expect(
            try kind("--voice", other, "--duration", "3", "--waveform", "9")
                == .voice(other, .seconds(3), waveform: [9]))
        #expect(throws: ToolError.self) { try kind("--voice", other) }
        #expect(throws: ToolError.self) { try kind("--voice", other, "--waveform", "9") }
        #expect(throws: ToolError.self) { try kind("--voice", "\(directory.path)/none") }
    }

    @Test("a waveform is 1 to 256 numbers from 0 to 255")
    func waveform() throws {
        #expect(WaveformArgument(argument: "0,255")?.levels == [0, 255])
        let longest = Array(repeating: "1", count: 256).joined(separator: ",")
        #expect(WaveformArgument(argument: longest)?.levels.count == 256)
        for text in ["", ",", "1,", "256", "-1", "1.5", "1 2", "1;2", longest + ",1"] {
            #expect(WaveformArgument(argument: text) == nil, "\(text)")
        }
    }

    @Test("options that do not go together are refused")
    func together() throws {
        #expect(try kind() == nil)
        #expect(try kind("--file", "a") == .file("a"))
        #expect(try kind("--image", "a") == .image("a"))
        for arguments in [
            ["--file", "a", "--image", "b"], ["--file", "a", "--voice", "b"], ["--duration", "1"],
            ["--file", "a", "--waveform", "1"], ["--voice", "a", "--duration", "86401"],
            ["--voice", "a", "--duration", "-1"], ["--voice", "a", "--duration", "nan"],
        ] {
            #expect(throws: (any Error).self, "\(arguments)") { try AttachmentOptions.parse(arguments) }
        }
    }
}

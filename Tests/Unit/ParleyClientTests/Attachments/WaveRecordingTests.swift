import PrivateFiles
import TestSupport
import Testing

@testable import ParleyClient

@Suite("Recordings as WAV files")
struct WaveRecordingTests {
    private static func little(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    private static func chunk(_ name: String, _ content: [UInt8], length: Int? = nil) -> [UInt8] {
        let padding: [UInt8] = content.count.isMultiple(of: 2) ? [] : [0]
        return Array(name.utf8) + little(length ?? content.count, 4) + content + padding
    }

    private static func format(
        kind: Int = 1, channels: Int = 1, rate: Int = 8000, bits: Int = 16, frame: Int? = nil, rest: [UInt8] = []
    ) -> [UInt8] {
        let frame = frame ?? channels * bits / 8
        return chunk(
            "fmt ",
            little(kind, 2) + little(channels, 2) + little(rate, 4) + little(rate * frame, 4) + little(frame, 2)
                + little(bits, 2) + rest)
    }

    private static func file(_ chunks: [UInt8]...) -> [UInt8] {
        let content = Array("WAVE".utf8) + chunks.flatMap { $0 }
        return Array("RIFF".utf8) + little(content.count, 4) + content
    }

    private func recording(_ file: [UInt8]) -> WaveRecording? {
        WaveRecording(size: file.count) { count, offset in
            guard offset < file.count else { return [] }
            return Array(file[offset..<min(file.count, offset + count)])
        }
    }

    @Test("a recording is as long as its samples, and each part is as loud as its loudest", arguments: [8, 16, 24, 32])
    func samples(bits: Int) {
        let full = 1 << (bits - 1)
        // 64 parts of 100 frames of two channels; one sample of each is loud, up or down.
        let samples = (0..<6400).flatMap { frame -> [Int] in
            let loud = frame % 100 == 42 ? (frame / 100) * full / 64 : 0
            return frame / 100 % 2 == 0 ? [0, loud] : [-loud, 0]
        }
        let data = samples.flatMap { Self.little(bits == 8 ? $0 + 128 : $0, bits / 8) }
        let file = Self.file(
            Self.chunk("LIST", [1, 2, 3]), Self.format(channels: 2, rate: 6400, bits: bits), Self.chunk("data", data),
            Self.chunk("id3 ", [9, 9, 9]))
        let recording = recording(file)
        #expect(recording?.duration == .seconds(1))
        #expect(recording?.waveform == (0..<64).map { UInt8($0 * 4) })
    }

    @Test("the loudest there is, is 255, and a short recording has as many parts as frames")
    func extremes() {
        let file = Self.file(Self.format(), Self.chunk("data", [0, 0x80, 0xFF, 0x7F, 0, 0]))
        #expect(recording(file)?.waveform == [255, 255, 0])
        #expect(recording(file)?.duration == .zero)
    }

    @Test("a recorder that was cut off, or wrote before it knew the length, has what is there")
    func unfinished() {
        let samples = [UInt8](repeating: 1, count: 16_001)
        for length in [0xFFFF_FFFF, 0x7FFF_FFFF, 20_000] {
            let file = Self.file(Self.format(), Self.chunk("data", samples, length: length)).dropLast()
            #expect(recording(Array(file))?.duration == .seconds(1))
        }
    }

    @Test("samples in the extensible form are samples, and others are none")
    func extensible() {
        let guid: [UInt8] = [0, 0, 0, 0, 16, 0, 128, 0, 0, 170, 0, 56, 155, 113]
        let data = Self.chunk("data", [UInt8](repeating: 0, count: 160))
        for (kind, isKnown) in [(1, true), (3, false), (0xFFFE, false)] {
            let rest = [22, 0, 16, 0, 0, 0, 0, 0] + Self.little(kind, 2) + guid
            #expect((recording(Self.file(Self.format(kind: 0xFFFE, rest: rest), data)) != nil) == isKnown)
        }
    }

    @Test("what is no recording, or lies about itself, is none and does not trap")
    func hostile() throws {
        let data = Self.chunk("data", [UInt8](repeating: 5, count: 100))
        let whole = Self.file(Self.format(), data)
        #expect(recording(whole) != nil)
        for count in 0..<(whole.count - 100) { #expect(recording(Array(whole[..<count])) == nil, "\(count)") }
        for index in whole.indices {
            for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
                var changed = whole
                changed[index] = value
                _ = recording(changed)
            }
        }
        for format in [
            Self.format(kind: 3), Self.format(channels: 0), Self.format(channels: 33), Self.format(rate: 0),
            Self.format(bits: 0), Self.format(bits: 12), Self.format(bits: 64), Self.format(frame: 0),
            Self.format(frame: 3), Self.chunk("fmt ", [1, 0, 1, 0]), [],
        ] {
            #expect(recording(Self.file(format, data)) == nil)
        }
        #expect(recording(Self.file(data, Self.format())) == nil)
        #expect(recording(Self.file(Self.format(), Self.chunk("data", []))) == nil)
        #expect(recording(Self.file((0..<100).flatMap { _ in Self.chunk("junk", []) }, Self.format(), data)) == nil)
        let directory = try TemporaryDirectory()
        #expect(try WaveRecording(directory.path) == nil)
        #expect(throws: FileError.self) { try WaveRecording("\(directory.path)/none.wav") }
    }
}

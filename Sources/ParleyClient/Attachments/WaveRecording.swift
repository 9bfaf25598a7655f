import PrivateFiles

/// How long and how loud a recording is, by a WAV file of linear PCM (RIFF, `WAVE_FORMAT_PCM`).
///
/// The file is read once, in pieces, whatever its fields say.
package struct WaveRecording: Hashable, Sendable {
    /// In whole milliseconds.
    package let duration: Duration
    /// The loudest sample of each of so many equal parts, 255 for one that could not be louder.
    package let waveform: [UInt8]

    /// Fewer for a recording that has not as many samples.
    package static let parts = 64
    private static let pieceLength = 65_536

    /// - Returns: `nil` for what is no such file, or has no samples.
    package init?(_ path: String) throws(FileError) {
        guard try Files.regularFile(path) != nil else { return nil }
        let file = try OpenFile(resolving: path)
        try self.init(size: file.size) { (count, offset) throws(FileError) in try file.read(count: count, at: offset) }
    }

    /// - Parameters:
    ///   - size: of the file.
    ///   - read: so many bytes of it at an offset; fewer at its end.
    init?<Failure: Error>(size: Int, read: (_ count: Int, _ offset: Int) throws(Failure) -> [UInt8]) throws(Failure) {
        guard let samples = try WaveSamples(size: size, read: read), samples.frames > 0 else { return nil }
        duration = .milliseconds(samples.frames * 1000 / samples.rate)
        let parts = min(WaveRecording.parts, samples.frames)
        var waveform: [UInt8] = []
        let most = WaveRecording.pieceLength / samples.frameLength
        for part in 0..<parts {
            var frame = part * samples.frames / parts
            let end = (part + 1) * samples.frames / parts
            var loudest = 0
            while frame < end {
                let count = min(most, end - frame)
                let offset = samples.start + frame * samples.frameLength
                loudest = max(loudest, samples.loudest(try read(count * samples.frameLength, offset)))
                frame += count
            }
            waveform.append(UInt8(clamping: loudest * 256 / samples.mostAmplitude))
        }
        self.waveform = waveform
    }
}

/// Where in a WAV file its samples are, and what they are.
private struct WaveSamples {
    let rate: Int
    /// Of all channels together.
    let frameLength: Int
    let start: Int
    let frames: Int
    /// In bytes, of one channel.
    private let sampleLength: Int

    private static let mostChunks = 64
    private static let (pcm, extensible) = (1, 0xFFFE)

    init?<Failure: Error>(size: Int, read: (Int, Int) throws(Failure) -> [UInt8]) throws(Failure) {
        let head = try read(12, 0)
        guard head.count == 12, head[..<4].elementsEqual("RIFF".utf8), head[8...].elementsEqual("WAVE".utf8) else {
            return nil
        }
        var format: [UInt8] = []
        var offset = head.count
        for _ in 0..<WaveSamples.mostChunks {
            let chunk = try read(8, offset)
            guard chunk.count == 8 else { return nil }
            let length = chunk[4...].littleEndian
            offset += chunk.count
            if chunk[..<4].elementsEqual("fmt ".utf8) {
                format = try read(min(length, 40), offset)
            } else if chunk[..<4].elementsEqual("data".utf8) {
                // A recorder that could not go back says too much.
                self.init(format, start: offset, length: min(length, size - offset))
                return
            }
            // Each begins at an even offset.
            offset += length + length % 2
        }
        return nil
    }

    private init?(_ format: [UInt8], start: Int, length: Int) {
        guard format.count >= 16, length >= 0 else { return nil }
        var kind = format[..<2].littleEndian
        if kind == WaveSamples.extensible, format.count == 40 { kind = format[24..<26].littleEndian }
        let (channels, bits) = (format[2..<4].littleEndian, format[14..<16].littleEndian)
        rate = format[4..<8].littleEndian
        (frameLength, sampleLength) = (format[12..<14].littleEndian, bits / 8)
        guard kind == WaveSamples.pcm, (1...32).contains(channels), [8, 16, 24, 32].contains(bits), rate > 0,
            frameLength == channels * sampleLength
        else { return nil }
        (self.start, frames) = (start, length / frameLength)
    }

    var mostAmplitude: Int { 1 << (8 * sampleLength - 1) }

    /// The greatest amplitude among whole samples.
    func loudest(_ bytes: [UInt8]) -> Int {
        var loudest = 0
        for index in stride(from: sampleLength - 1, to: bytes.count, by: sampleLength) {
            // Of one byte they have no sign, and 128 is silence.
            let high = sampleLength == 1 ? Int(bytes[index]) - 128 : Int(Int8(bitPattern: bytes[index]))
            let low = bytes[(index - sampleLength + 1)..<index].littleEndian
            loudest = max(loudest, abs(high << (8 * (sampleLength - 1)) + low))
        }
        return loudest
    }
}

extension ArraySlice<UInt8> {
    /// Of at most seven bytes.
    fileprivate var littleEndian: Int { reversed().reduce(0) { $0 << 8 | Int($1) } }
}

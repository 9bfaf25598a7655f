import ArgumentParser
import ParleyClient
import PrivateFiles

/// What a message has beside its text.
struct AttachmentOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A file that is sent.", valueName: "PATH")) var file: String?
    @Option(help: ArgumentHelp("A picture that is sent: a PNG, JPEG, GIF or WebP.", valueName: "PATH")) var image:
        String?
    @Option(help: ArgumentHelp("A voice message that is sent, with --duration if it is no WAV.", valueName: "PATH"))
    var voice: String?
    @Option(help: ArgumentHelp("How long a voice message is.", valueName: "SECONDS")) var duration: Double?
    @Option(
        help: ArgumentHelp(
            "How loud a voice message is from its beginning to its end: 1 to 256 numbers from 0 to 255.",
            valueName: "N,N,…"))
    var waveform: WaveformArgument?

    enum Kind: Hashable, Sendable {
        case file(String)
        case image(String)
        case voice(String, Duration, waveform: [UInt8]?)

        var path: String {
            switch self {
            case .file(let path), .image(let path), .voice(let path, _, _): path
            }
        }
    }

    var isEmpty: Bool { file == nil && image == nil && voice == nil }

    private static let seconds = 0.0...86_400

    func validate() throws {
        guard [file, image, voice].count(where: { $0 != nil }) <= 1 else {
            throw ValidationError("--file, --image and --voice exclude each other")
        }
        guard voice != nil || (duration == nil && waveform == nil) else {
            throw ValidationError("--duration and --waveform are for --voice")
        }
        guard duration.map({ AttachmentOptions.seconds.contains($0) }) ?? true else {
            throw ValidationError("--duration takes 0 to 86400 seconds")
        }
    }

    /// What is sent. What is not said of a voice message is read in its file, if that is a WAV.
    ///
    /// - Returns: `nil` without a file.
    func kind() throws(ToolError) -> Kind? {
        if let file { return .file(file) }
        if let image { return .image(image) }
        guard let voice else { return nil }
        let said = duration.map { Duration.milliseconds(Int($0 * 1000)) }
        if let said, let waveform { return .voice(voice, said, waveform: waveform.levels) }
        let recording: WaveRecording?
        do throws(FileError) {
            recording = try WaveRecording(voice)
        } catch {
            throw ToolError(.usage, error.description)
        }
        guard let duration = said ?? recording?.duration else {
            throw ToolError(.usage, "--duration says how long \(voice) is: it is no WAV file of plain samples")
        }
        return .voice(voice, duration, waveform: waveform?.levels ?? recording?.waveform)
    }
}

/// How loud a recording is, as numbers with commas between them.
struct WaveformArgument: ExpressibleByArgument, Hashable {
    let levels: [UInt8]

    /// - Returns: `nil` unless it is 1 to 256 numbers from 0 to 255.
    init?(argument: String) {
        let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
        levels = parts.compactMap { UInt8($0) }
        guard levels.count == parts.count, levels.count <= VoiceNote.longestWaveform else { return nil }
    }
}

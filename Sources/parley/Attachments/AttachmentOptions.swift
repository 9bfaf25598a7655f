import ArgumentParser

/// What a message has beside its text.
struct AttachmentOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A file that is sent.", valueName: "PATH")) var file: String?
    @Option(help: ArgumentHelp("A picture that is sent: a PNG, JPEG, GIF or WebP.", valueName: "PATH")) var image:
        String?
    @Option(help: ArgumentHelp("A voice message that is sent, with --duration.", valueName: "PATH")) var voice: String?
    @Option(help: ArgumentHelp("How long a voice message is.", valueName: "SECONDS")) var duration: Double?

    enum Kind: Hashable, Sendable {
        case file(String)
        case image(String)
        case voice(String, Duration)

        var path: String {
            switch self {
            case .file(let path), .image(let path), .voice(let path, _): path
            }
        }
    }

    /// - Returns: `nil` without a file.
    func kind() throws -> Kind? {
        let kinds = [file, image, voice].compactMap { $0 }
        guard kinds.count <= 1 else { throw ValidationError("--file, --image and --voice exclude each other") }
        guard (voice == nil) == (duration == nil) else {
            throw ValidationError("--voice and --duration belong together")
        }
        if let file { return .file(file) }
        if let image { return .image(image) }
        guard let voice, let duration else { return nil }
        guard (0...86_400).contains(duration) else { throw ValidationError("--duration takes 0 to 86400 seconds") }
        return .voice(voice, .milliseconds(Int(duration * 1000)))
    }
}

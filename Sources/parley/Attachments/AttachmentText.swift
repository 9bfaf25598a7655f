import ParleyClient

// What is shown of a file that somebody else has named: nothing of it has to be true, and nothing of it is a command.

extension Attachment {
    /// Its name as far as it is one, without what hides or disguises.
    var shownName: String { SafeName(name).text }

    /// What kind of file its sender says it is; `nil` for what is no media type (RFC 6838 §4.2).
    var shownType: String? {
        let parts = mimeType.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, mimeType.utf8.count <= 64,
            parts.allSatisfy({ part in !part.isEmpty && part.utf8.allSatisfy { Attachment.isOfType($0) } })
        else { return nil }
        return mimeType.lowercased()
    }

    private static func isOfType(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$&-^_.+".utf8.contains(byte)
        }
    }

    /// Name, size and kind.
    var shownParts: [String] { [shownName, "\(ByteCount(size))"] + [shownType].compactMap { $0 } }
}

extension ImageMessage {
    /// The size in pixels that its sender says it has.
    var shownSize: String? {
        guard let width, let height else { return nil }
        let sides = 1...ImageHeader.longestSide
        return sides.contains(width) && sides.contains(height) ? "\(width)×\(height)" : nil
    }
}

extension VoiceNote {
    private static let levels: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
    private static let mostColumns = 32

    /// Minutes and seconds.
    var shownDuration: String {
        let seconds = max(0, duration.components.seconds)
        let rest = seconds % 60
        return "\(seconds / 60):\(rest < 10 ? "0" : "")\(rest)"
    }

    /// How loud it is from its beginning to its end, a block for each part.
    var shownWaveform: String? {
        guard let waveform, !waveform.isEmpty else { return nil }
        let columns = min(waveform.count, VoiceNote.mostColumns)
        return String(
            (0..<columns).map { column in
                let part = waveform[(column * waveform.count / columns)..<((column + 1) * waveform.count / columns)]
                return VoiceNote.levels[Int(part.max() ?? 0) * VoiceNote.levels.count / 256]
            })
    }
}

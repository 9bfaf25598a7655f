import ParleyClient
import ParleyProtocol

/// A file that is on its way, as the chat's bar shows it.
struct ChatTransfer: Hashable, Sendable {
    let key: Key
    let name: String
    var progress: FileProgress
    /// Why it does not go on.
    var obstacle: Obstacle?

    enum Key: Hashable, Sendable {
        case upload(MessageID)
        case download(MessageID)

        var message: MessageID {
            switch self {
            case .upload(let message), .download(let message): message
            }
        }
    }

    enum Obstacle: Hashable, Sendable {
        /// It goes on by itself.
        case waiting(String)
        /// Until the person says so.
        case paused

        fileprivate var text: String {
            switch self {
            case .waiting(let reason): "waits: \(reason)"
            case .paused: "paused"
            }
        }
    }

    private static let (nameColumns, barColumns) = (20, 10)

    /// Such as `↑ report.pdf ███░░░░░░░ 30 % of 1.2 MB`.
    var text: String {
        let arrow =
            switch key {
            case .upload: "↑"
            case .download: "↓"
            }
        let shown =
            name.columns > ChatTransfer.nameColumns ? name.prefix(columns: ChatTransfer.nameColumns) + "…" : name
        return "\(arrow) \(shown) \(obstacle?.text ?? progress.bar(columns: ChatTransfer.barColumns))"
    }
}

extension FileUpload {
    /// Its place in the bar; `nil` once the door has all of it.
    var transfer: ChatTransfer? {
        let name = source?.path.split(separator: "/").last.map { SafeName(String($0)).text } ?? "file"
        let obstacle: ChatTransfer.Obstacle?
        switch state {
        case .running: obstacle = nil
        case .waiting(let error): obstacle = .waiting("\(error)")
        case .paused: obstacle = .paused
        case .complete: return nil
        }
        return ChatTransfer(key: .upload(message), name: name, progress: progress, obstacle: obstacle)
    }
}

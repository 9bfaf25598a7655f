import Foundation
import Platform
import ParleyClient
import ParleyProtocol
import Synchronization

/// Shows pushes on the desktop by `notify-send`, without a shell: each text is one argument, and never an option.
struct Desktop: Sendable {
    private let program: String
    private let running = Running()

    /// The most that are shown at once; others are on the terminal alone.
    private static let most = 4
    private static let longest = 200

    /// - Parameter path: `PATH`.
    /// - Returns: `nil` where there is no `notify-send`.
    init?(path: String?) {
        let programs: [String] = (path ?? "").split(separator: ":").map { "\($0)/notify-send" }
        let found = programs.first { program in
            guard program.hasPrefix("/") else { return false }
            return unsafe access(program, X_OK) == 0
        }
        guard let found else { return nil }
        program = found
    }

    func show(_ push: OpenedPush) {
        guard let (title, body) = push.onDesktop, running.begin(most: Desktop.most) else { return }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["--app-name=parley", "--", title, Desktop.markup(body)]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.terminationHandler = { [running] _ in running.end() }
        do { try process.run() } catch {
            running.end()
            Terminal.report("\(program) does not start: \(error.localizedDescription)")
        }
    }

    /// A body without markup (Desktop Notifications Specification, Markup).
    static func markup(_ text: String) -> String {
        var result = ""
        for character in text.printableLines.joined(separator: "\n").prefix(longest) {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            default: result.append(character)
            }
        }
        return result
    }

    /// How many are shown. They end on threads of their own.
    private final class Running: Sendable {
        private let count = Mutex(0)

        func begin(most: Int) -> Bool {
            count.withLock { count in
                guard count < most else { return false }
                count += 1
                return true
            }
        }

        func end() { count.withLock { $0 -= 1 } }
    }
}

extension OpenedPush {
    /// A title and a text; `nil` for what shows nothing.
    var onDesktop: (title: String, body: String)? {
        switch content {
        case .message(let pushed):
            pushed.isRead ? nil : (pushed.sender.user.text, pushed.message.text)
        case .feed, .digest, .test, .wakeUp: ("Parley", sentence)
        case .unopened(.reference), .unopened(.sealed): ("Parley", "a new message")
        case .clear, .unopened: nil
        }
    }
}

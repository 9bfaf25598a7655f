import ArgumentParser
import ParleyClient
import ParleyProtocol
import PrivateFiles

/// A workout as a person names it in an argument: its id, or the beginning of it.
struct WorkoutName: NameArgument {
    let text: String

    func find(among logged: LoggedWorkouts) throws(ToolError) -> WorkoutID {
        if let id = WorkoutID(text.lowercased()) { return id }
        return try logged.all.one(text, what: "workout that was logged here").id
    }
}

/// The workouts that a device has logged by this tool, in a file of its own: the gateway lists none.
struct LoggedWorkouts {
    struct Workout: Nameable {
        let id: WorkoutID
        var names: [String] { [] }
        var idText: String? { id.description }
        var candidate: String { id.description }
    }

    /// The last are the newest.
    private(set) var all: [Workout]
    private let directory: String

    private static let file = "workouts"
    private static let most = 1000

    /// Without a file that can be read there are none.
    init(of device: DeviceAddress, _ gateway: LocalGateway) {
        directory = DeviceDirectory(of: device, in: gateway.path).path
        all = LoggedWorkouts.read(in: directory)
    }

    private static func read(in directory: String) -> [Workout] {
        let file = try? Files.read("\(directory)/\(LoggedWorkouts.file)", maximum: 64 * LoggedWorkouts.most)
        let lines = String(decoding: file?.bytes ?? [], as: UTF8.self).split(separator: "\n")
        return lines.compactMap { WorkoutID(String($0)).map(Workout.init) }
    }

    /// A workout that cannot be written to the file is logged nevertheless: its whole id names it.
    mutating func append(_ id: WorkoutID) {
        // Another command may log one at this moment. It ends with this call.
        let lock = try? FileLock(waitingFor: "\(directory)/\(LoggedWorkouts.file).lock")
        defer { lock?.release() }
        all =
            LoggedWorkouts.read(in: directory).filter { $0.id != id }.suffix(LoggedWorkouts.most - 1) + [
                Workout(id: id)
            ]
        let text = all.map { "\($0.id)\n" }.joined()
        try? Files.replace(LoggedWorkouts.file, in: directory, with: Array(text.utf8))
    }
}

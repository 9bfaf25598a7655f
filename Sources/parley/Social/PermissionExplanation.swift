import ParleyProtocol

/// The reply to `admin/explain`: a decision, and the questions that led to it, in order.
struct PermissionExplanation: Hashable {
    struct Step: Hashable {
        let name: String
        /// Whether it decided; nothing after it is asked.
        let holds: Bool
        let detail: String?
    }

    let permission: String
    let reason: String
    let steps: [Step]

    init?(reply object: JSONObject) {
        guard let permission = try? object.text("permission", maximum: 64),
            let reason = try? object.text("reason", maximum: 64),
            let steps = try? object.objects("steps", maximum: 100)
        else { return nil }
        self.permission = permission
        self.reason = reason
        self.steps = steps.compactMap { step in
            guard let name = try? step.text("step", maximum: 64) else { return nil }
            let holds = (try? step.bool("holds")) ?? false
            return Step(name: name, holds: holds, detail: try? step.text("detail", maximum: 1000))
        }
        guard self.steps.count == steps.count else { return nil }
    }

    /// The decision in a sentence, and the questions as a table: nothing is asked after the one that decides.
    func lines(from sender: UserID, to recipient: UserID) -> [String] {
        var table = Table(headings: ["", "STEP", "HOLDS", "FOUND"])
        var isDecided = false
        for step in steps {
            guard !isDecided else {
                table.add(["", step.name, "not asked", ""])
                continue
            }
            table.add([step.holds ? "→" : "", step.name, step.holds ? "yes" : "no", step.detail ?? ""])
            isDecided = step.holds
        }
        return ["\(sender) → \(recipient): \(sentence.printable)"] + table.lines
    }

    private var sentence: String {
        switch permission {
        case "allowed": "may write without limit (\(reason))"
        case "request": "may send one message, as a message request (\(reason))"
        case "refused": "may not write (\(reason))"
        default: "\(permission) (\(reason))"
        }
    }

    func json(from sender: UserID, to recipient: UserID) -> [UInt8] {
        JSONWriter.object { object in
            object.member("from", sender)
            object.member("to", recipient)
            object.member("permission", permission)
            object.member("reason", reason)
            object.member("steps", array: steps) { writer, step in
                writer.object { object in
                    object.member("step", step.name)
                    object.member("holds", step.holds)
                    object.member("detail", step.detail)
                }
            }
        }
    }
}

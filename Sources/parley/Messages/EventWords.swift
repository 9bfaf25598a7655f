import ParleyClient
import ParleyProtocol

/// An event in the tool's words.
struct EventWords {
    /// The users of the tool who see it.
    enum Audience {
        /// Those who ask for other events (`--events`).
        case asking
        /// Everybody.
        case everybody
        /// Everybody, as a warning.
        case warned
    }

    /// The event's name for programs; `nil` for an event that only people see.
    let name: String?
    /// For people.
    let sentence: String
    let audience: Audience
    /// Writes the members of the JSON object beside the name.
    let members: (inout JSONWriter) -> Void

    init(
        _ name: String?, _ sentence: String, to audience: Audience = .asking,
        _ members: @escaping (inout JSONWriter) -> Void = { _ in }
    ) {
        self.name = name
        self.sentence = sentence
        self.audience = audience
        self.members = members
    }

    /// An event of one object, which the JSON object has under a key.
    init(_ name: String, _ sentence: String, _ key: String, _ object: some GatewayObject) {
        self.init(name, sentence) { $0.member(key, raw: object.json) }
    }

    /// The line that every command reports.
    var warning: String? {
        switch audience {
        case .asking: nil
        case .everybody: sentence
        case .warned: "WARNING: \(sentence)"
        }
    }

    /// The line of `--events`: for people, or a JSON object.
    func line(asJSON isJSON: Bool) -> String? {
        guard let name else { return nil }
        guard isJSON else { return sentence.printableLines.joined(separator: " ↵ ") }
        let json = JSONWriter.object { object in
            object.member("event", name)
            members(&object)
        }
        return String(decoding: json, as: UTF8.self)
    }
}

extension ClientEvent {
    /// The line of an event other than a message; `nil` for one that is printed elsewhere or not at all.
    func line(asJSON isJSON: Bool, _ titles: Titles = Titles()) -> String? {
        words(titles)?.line(asJSON: isJSON)
    }

    /// The warning or notice for the user of `device`: of changed keys and members, devices left out, faults of
    /// the gateway, and refused requests; `nil` for other events.
    func warning(for device: DeviceAddress, _ titles: Titles = Titles()) -> String? {
        guard case .keys(let notice) = self, notice.asksToAccept else { return words(titles)?.warning }
        return "\(notice); \(notice.user.acceptInstructions(for: device))"
    }
}

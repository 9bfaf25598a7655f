import ParleyClient
import ParleyProtocol

/// What the tool says of an event.
struct EventWords {
    /// Who is told.
    enum Audience {
        /// Who asks for what happens beside messages.
        case asking
        /// Everybody.
        case everybody
        /// Everybody, as a warning.
        case warned
    }

    /// What programs know the event by; `nil` for what only people are told.
    let name: String?
    /// For people.
    let sentence: String
    let audience: Audience
    /// Writes what programs are told beside the name.
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

    /// Of an object that programs are told as it is, under a key.
    init(_ name: String, _ sentence: String, _ key: String, _ object: some GatewayObject) {
        self.init(name, sentence) { $0.member(key, raw: object.json) }
    }

    /// What everybody is told.
    var warning: String? {
        switch audience {
        case .asking: nil
        case .everybody: sentence
        case .warned: "WARNING: \(sentence)"
        }
    }

    /// What is told to who asks: a line for people, or a JSON object.
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
    /// What happened beside messages, as a line; `nil` for what is printed elsewhere, or of no interest to anybody.
    func line(asJSON isJSON: Bool) -> String? { words?.line(asJSON: isJSON) }

    /// What is said of who can read what is sent: keys, devices that were left out, members, and a gateway that says
    /// what cannot be so; and of what was kept here and is not taken. To whoever acts as `device`; `nil` for everything
    /// else.
    func warning(for device: DeviceAddress) -> String? {
        guard case .keys(let notice) = self, notice.asksToAccept else { return words?.warning }
        return "\(notice); \(notice.user.acceptInstructions(for: device))"
    }
}

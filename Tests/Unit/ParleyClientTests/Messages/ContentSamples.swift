import ParleyProtocol

@testable import ParleyClient

extension Attachment {
    static let sample = Attachment(
        url: "https://files.example/7f31", key: [UInt8](repeating: 1, count: 32),
        digest: [UInt8](repeating: 2, count: 32), size: 1_048_577, name: "Plan Mai.pdf", mimeType: "application/pdf")
}

extension [UInt8] {
    static let pngSignature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
}

extension MessageContent {
    /// One of each type with every member, and one with as few as it may have.
    static func samples(_ type: MessageType.Sendable, _ text: String = "Kraft & Ausdauer 💪") -> [MessageContent] {
        switch type {
        case .text: return [.text(text)]
        case .dietPlan:
            return [
                .dietPlan(DietPlanCard(planID: "d-1", planTitle: text, calories: 1900, days: 28, summary: text)),
                .dietPlan(DietPlanCard(planID: "d-1", planTitle: text)),
            ]
        case .workoutPlan:
            return [
                .workoutPlan(WorkoutPlanCard(planID: "w-1", planTitle: text, days: 3, minutes: 45, summary: text)),
                .workoutPlan(WorkoutPlanCard(planID: "w-1", planTitle: text)),
            ]
        case .challenge:
            return [
                .challenge(
                    ChallengeCard(
                        challengeID: .random(), title: text, challengeType: .workoutCount, target: 12, durationDays: 7))
            ]
        case .voice:
            return [
                .voice(VoiceNote(file: .sample, duration: .milliseconds(4200), waveform: [0, 127, 255])),
                .voice(VoiceNote(file: .sample, duration: .milliseconds(4200))),
            ]
        case .image:
            return [
                .image(
                    ImageMessage(
                        file: .sample, width: 1920, height: 1080, thumbnail: Thumbnail(.pngSignature), caption: text)),
                .image(ImageMessage(file: .sample)),
            ]
        case .file:
            var file = Attachment.sample
            file.url = nil
            return [.file(FileMessage(file: .sample, caption: text)), .file(FileMessage(file: file))]
        }
    }
}

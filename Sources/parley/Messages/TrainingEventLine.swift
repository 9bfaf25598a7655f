import ParleyClient
import ParleyProtocol

extension ClientEvent {
    /// Writes what happened among those who train together, and says it as a sentence; nothing for any other event.
    func writeTraining(to object: inout JSONWriter) -> String {
        switch self {
        case .challengeUpdated(let challenge):
            object.member("event", "challenge.updated")
            object.key("challenge")
            challenge.write(to: &object)
            return challenge.sentence
        case .group(let event): return event.write(to: &object)
        case .dayReported(let day):
            object.member("event", "day.reported")
            object.key("metrics")
            day.write(to: &object)
            return "the gateway has the report of \(day.day)"
        case .workoutReported(let reply):
            object.member("event", "workout.reported")
            object.key("workout")
            reply.write(to: &object)
            return
                "the gateway has workout \(reply.id): \(reply.checkIns) in week \(reply.week), streak \(reply.streakDays)"
        case .requestRefused(let request, let rejection): return request.write(rejection, to: &object)
        case .weekEnded(let end):
            object.member("event", "week.ended")
            object.key("week")
            end.write(to: &object)
            return "week \(end.week) of group \(end.group) has ended; what comes late counts until \(end.closesAt)"
        case .notification(let event): return event.write(to: &object)
        case .activity(let event): return event.write(to: &object)
        default: return ""
        }
    }
}

extension RefusedRequest {
    /// What a person reads of it.
    func sentence(_ rejection: Rejection) -> String {
        "the gateway refuses the \(self): \(rejection.code.rawValue): \(rejection.message)".printable
    }

    /// Writes it as an event, and says it as a sentence.
    fileprivate func write(_ rejection: Rejection, to object: inout JSONWriter) -> String {
        object.member("event", "request.refused")
        switch self {
        case .workout(let id):
            object.member("operation", LogWorkout.operation.description)
            object.member("workout_id", id)
        case .workoutDeletion(let id):
            object.member("operation", DeleteWorkout.operation.description)
            object.member("workout_id", id)
        case .day(let day, let version):
            object.member("operation", ReportMetrics.operation.description)
            object.member("day", day.description)
            object.member("version", version)
        }
        object.member("code", rejection.code.rawValue)
        object.member("message", rejection.message)
        return sentence(rejection)
    }
}

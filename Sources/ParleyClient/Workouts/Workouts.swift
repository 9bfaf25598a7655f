import ParleyProtocol

extension MessagingClient {
    /// What the user has done: workouts, which count on the boards of their groups.
    public nonisolated var workouts: Workouts { Workouts(client: self) }

    /// What the user has done: ``MessagingClient/workouts``.
    ///
    /// A workout is kept on the device before ``log(completedAt:timeZone:kind:minutes:)`` returns, and reported as soon
    /// as it can be, once, however often the connection breaks: one that is done without a connection counts for its
    /// own day and week, as long as that week is open. ``ClientEvent/workoutReported(_:)`` follows, or
    /// ``ClientEvent/requestRefused(_:_:)``.
    public struct Workouts: Sendable {
        let client: MessagingClient

        /// - Parameters:
        ///   - completedAt: when it was done.
        ///   - timeZone: the IANA name of the zone where it was done; its day is the day that it was there.
        ///   - kind: what it was, in the person's words; at most 64 characters.
        ///   - minutes: how long it took, at most a day.
        /// - Returns: its id.
        /// - Throws: ``ClientError/refused(_:)`` for what no gateway would read, ``ClientError/storage(_:)``,
        ///   ``ClientError/queueFull``.
        @discardableResult
        public func log(
            completedAt: Timestamp, timeZone: String, kind: String? = nil, minutes: Int? = nil
        ) async throws(ClientError) -> WorkoutID {
            let workout = LogWorkout(
                id: .random(), completedAt: completedAt, timeZone: timeZone, kind: kind, minutes: minutes)
            try await client.perform { context throws(ClientError) in try context.keptRequests.keep(workout) }
            return workout.id
        }

        /// Takes back a workout that was logged: it counts no more, unless its week is final. Kept as a workout is.
        public func delete(_ workout: WorkoutID) async throws(ClientError) {
            try await client.perform { context throws(ClientError) in
                try context.keptRequests.keep(DeleteWorkout(id: workout))
            }
        }
    }
}

extension LogWorkout: KeptCommand {
    var keptID: UUIDValue { id.value }

    var successorID: UUIDValue? { get throws { try DeleteWorkout(id: id).keptID } }

    var refused: RefusedRequest { .workout(id) }

    func event(of reply: WorkoutReply) -> ClientEvent? { reply.id == id ? .workoutReported(reply) : nil }
}

extension DeleteWorkout: KeptCommand {
    /// It takes no place of the workout's own, which goes before it.
    var keptID: UUIDValue {
        get throws { try .kept("workouts/delete", id.description) }
    }

    /// The workout, logged anew.
    var successorID: UUIDValue? { id.value }

    var refused: RefusedRequest { .workoutDeletion(id) }

    func event(of reply: WorkoutReply) -> ClientEvent? { reply.id == id ? .workoutReported(reply) : nil }
}

import ParleyProtocol

extension MessagingClient {
    /// The user's workouts, which count in the leaderboards of their groups.
    public nonisolated var workouts: Workouts { Workouts(client: self) }

    /// The user's workouts: ``MessagingClient/workouts``.
    ///
    /// A workout is stored on the device before ``log(completedAt:timeZone:kind:minutes:)`` returns, and reported once,
    /// as soon as possible. One that is done without a connection counts for its own day and week, as long as that week
    /// is open. ``ClientEvent/workoutReported(_:)`` follows, or ``ClientEvent/requestRefused(_:_:)``.
    public struct Workouts: Sendable {
        let client: MessagingClient

        /// - Parameters:
        ///   - timeZone: the IANA name of the zone whose day counts.
        ///   - kind: in the person's words; at most 64 characters.
        ///   - minutes: the duration, at most a day.
        /// - Throws: ``ClientError/refused(_:)`` for an invalid workout, ``ClientError/storage(_:)``,
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

        /// Deletes a logged workout, unless its week is final. Queued like a workout.
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
    /// Another id than the workout's, which is sent before it.
    var keptID: UUIDValue {
        get throws { try .kept("workouts/delete", id.description) }
    }

    /// The workout, if it is logged again.
    var successorID: UUIDValue? { id.value }

    var refused: RefusedRequest { .workoutDeletion(id) }

    func event(of reply: WorkoutReply) -> ClientEvent? { reply.id == id ? .workoutReported(reply) : nil }
}

public struct WorkoutID: UUIDIdentifier {
    public let value: UUIDValue
    public init(_ value: UUIDValue) { self.value = value }
}

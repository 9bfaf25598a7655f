/// What a method gives that changes its value: an expectation takes no mutating call by itself.
func on<Owner, Value>(_ owner: inout Owner, _ body: (inout Owner) throws -> Value) rethrows -> Value {
    try body(&owner)
}

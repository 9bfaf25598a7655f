import ParleyProtocol
import TestNames
import Testing

@testable import ParleyBridge

@Suite("The table of operations")
struct OperationHandlersTests {
    /// What the table would hold of an operation that nobody has written a handler for.
    private struct Unhandled: Command, EmptyRequest {
        typealias Reply = Done
        static let operation = SendMessage.operation
    }

    private struct UnhandledQuery: Query, EmptyRequest {
        typealias Reply = Done
        static let operation = GetHistory.operation
    }

    @Test(
        "each operation has what carries it out, and is found by its name as it says of itself",
        arguments: OperationTable.all)
    func eachHasAHandler(
        type: any Request.Type
    ) throws {
        let entry = try #require(try OperationHandlers()[type.operation])
        #expect(entry.area == type.operation.area)
        #expect(entry.askers == type.askers)
        #expect(entry.isSilent == !type.hasReply)
        #expect(entry.table == type.table)
    }

    @Test("an operation without a handler stops the start, and is named")
    func missingHandlerStopsStart() {
        for (entry, operation) in [
            (OperationTable.Entry.command(Unhandled.self), "messages/send"),
            (.query(UnhandledQuery.self), "history/get"),
        ] {
            let error = #expect(throws: OperationTableError.self) { try OperationHandlers([entry]) }
            #expect("\(error, default: "")" == "nothing in this gateway carries out \(operation)")
            #expect(error.map { GatewayError($0).isLasting } == true)
        }
    }

    @Test("an operation that stands in the table twice stops the start")
    func doubleOperationStopsStart() {
        #expect(throws: OperationTableError.repeated(MarkRead.operation)) {
            try OperationHandlers([.command(MarkRead.self), .query(GetKeys.self), .command(MarkRead.self)])
        }
    }

    @Test("typing alone is never replied to, and admin alone is for operators")
    func silentAndOperatorAreas() {
        #expect(OperationTable.all.filter { !$0.hasReply }.map { $0.operation.area } == ["typing", "typing"])
        #expect(OperationTable.all.allSatisfy { $0.isForOperators == ($0.operation.area == "admin") })
    }
}

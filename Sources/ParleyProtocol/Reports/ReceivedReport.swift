/// The `data` of a reply to `reports/create`: the report that the operators will read.
public struct FiledReport: Hashable, Sendable {
    public let id: ReportID

    public init(id: ReportID) { self.id = id }
}

extension FiledReport: GatewayValue {
    package init(members object: JSONObject) throws(Rejection) {
        self.init(id: try object.uuid("id").required("id"))
    }
}

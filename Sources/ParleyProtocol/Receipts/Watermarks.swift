/// How far somebody has come in a log, as places in it: `read <= delivered`.
public struct Watermarks: Hashable, Sendable {
    public var delivered: Int
    public var read: Int

    public init(delivered: Int = 0, read: Int = 0) {
        self.delivered = delivered
        self.read = read
    }

    func write(to writer: inout JSONWriter) {
        writer.object { object in
            object.member("delivered", delivered)
            object.member("read", read)
        }
    }
}

extension Watermarks: GatewayValue {
    package init(members object: JSONObject) throws(Rejection) {
        self.init(
            delivered: try object.count("delivered").required("delivered"),
            read: try object.count("read").required("read"))
    }
}

/// A user's progress in a log, as places in it: `read <= delivered`.
public struct Watermarks: GatewayObject {
    public var delivered: Int
    public var read: Int

    public init(delivered: Int = 0, read: Int = 0) { (self.delivered, self.read) = (delivered, read) }

    package init<Pass: FieldPass<Watermarks>>(fields pass: inout Pass) throws(Pass.Failure) {
        delivered = try pass.required("delivered", \.delivered)
        read = try pass.required("read", \.read)
    }
}

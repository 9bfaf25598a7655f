/// The name of a request about an account, chosen by its sender: a repeat of the request has the same.
public struct AccountRequestID: UUIDIdentifier {
    public let value: UUIDValue
    public init(_ value: UUIDValue) { self.value = value }
}

/// A command about an account. It is carried out once.
package protocol AccountCommand: RepeatableCommand {
    var id: AccountRequestID { get }
}

extension AccountCommand {
    /// The operation, then the name and the JSON of each written field. The client's address is left out: a phone that
    /// has changed its network repeats the same request.
    ///
    /// The gateway stores the digest for an hour, and only under a key, since passwords are part of it.
    package func identityPreimage(sender: DeviceAddress) -> [UInt8] {
        var preimage = IdentityPreimage(of: sender).field("\(Self.operation)")
        append(to: &preimage)
        return preimage.bytes
    }
}

extension GatewayObject {
    fileprivate func append(to preimage: inout IdentityPreimage) {
        var pass = PreimagePass(object: self, preimage: preimage)
        _ = Self(fields: &pass)
        preimage = pass.preimage
    }
}

/// Takes the fields from an object, and adds those that a ``FieldWriter`` writes to a preimage.
private struct PreimagePass<Object>: FieldPass {
    let object: Object
    var preimage: IdentityPreimage

    mutating func required<Form: FieldForm>(
        _ name: String, _ value: (Object) -> Form.Value, as form: Form, default missing: Form.Value?
    ) -> Form.Value {
        let value = value(object)
        if name != ClientNetwork.field { append(name) { form.write(value, to: &$0) } }
        return value
    }

    mutating func optional<Form: FieldForm>(
        _ name: String, _ value: (Object) -> Form.Value?, as form: Form, without absence: FieldAbsence
    ) -> Form.Value? {
        let value = value(object)
        if let value {
            append(name) { form.write(value, to: &$0) }
        } else if absence == .null {
            append(name) { $0.token("null") }
        }
        return value
    }

    private mutating func append(_ name: String, _ write: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        write(&writer)
        preimage = preimage.field(name).field(writer.bytes)
    }

    mutating func part<Part: FieldGroup>(_ value: (Object) -> Part) -> Part {
        let part = value(object)
        append(part)
        return part
    }

    mutating func part<Part: FieldGroup>(_ value: (Object) -> Part?, shownBy name: String) -> Part? {
        let part = value(object)
        if let part { append(part) }
        return part
    }

    private mutating func append(_ part: any FieldGroup) {
        if let part = part as? any GatewayObject {
            part.append(to: &preimage)
        } else {
            // A part without a list of its fields, which no command about an account has.
            append("") { $0.object(part.writeMembers) }
        }
    }

    func combined<Value>(
        _ value: (Object) -> Value, from read: @autoclosure () -> Value?, or rejection: @autoclosure () -> Rejection
    ) -> Value { value(object) }

    func atMostOne(of names: String...) {}

    func check(_ condition: @autoclosure () -> Bool, or rejection: @autoclosure () -> Rejection) {}
}

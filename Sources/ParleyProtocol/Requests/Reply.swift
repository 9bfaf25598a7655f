/// The replies of protocol §4, written into a buffer.
public enum Reply {
    /// `{"request_id":…,"ok":true,"data":…}`
    public static func writeAccepted(
        _ requestID: RequestID?, to writer: inout JSONWriter, data: (inout JSONWriter) -> Void
    ) {
        writer.object { object in
            object.member("request_id", raw: requestID?.json)
            object.member("ok", true)
            object.key("data")
            data(&object)
        }
    }

    /// `{"request_id":…,"ok":false,"error":{…}}`
    public static func writeRejected(_ requestID: RequestID?, _ rejection: Rejection, to writer: inout JSONWriter) {
        writer.object { object in
            object.member("request_id", raw: requestID?.json)
            object.member("ok", false)
            object.member("error") { writeError(rejection, to: &$0) }
        }
    }

    /// The members of an `error`.
    package static func writeError(_ rejection: Rejection, to error: inout JSONWriter) {
        error.member("code", rejection.code.rawValue)
        error.member("message", rejection.message)
        if let wait = rejection.retryAfterMilliseconds { error.member("retry_after_ms", wait) }
        if let devices = rejection.devices {
            error.member("missing", array: devices.missing, writeAddress)
            error.member("extra", array: devices.extra, writeAddress)
        }
    }

    private static func writeAddress(_ writer: inout JSONWriter, _ address: DeviceAddress) {
        writer.object { address.writeMembers(to: &$0) }
    }
}

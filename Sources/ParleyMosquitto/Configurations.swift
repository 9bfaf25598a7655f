import ParleyClient
import ParleyProtocol

extension DeviceConfiguration {
    /// A device that connects with libmosquitto.
    public init(
        gateway: GatewayAddress, device: DeviceAddress,
        credentials: @escaping @Sendable () async throws -> DeviceCredentials
    ) {
        self.init(gateway: gateway, device: device, over: MosquittoTransport(), credentials: credentials)
    }
}

extension ClientConfiguration {
    /// A device of a gateway on this machine that connects with libmosquitto; see
    /// ``ClientConfiguration/local(device:in:protectedBy:over:)``.
    public static func local(
        device: DeviceAddress, in dataDirectory: String, protectedBy protection: KeyProtection = .ownership
    ) throws(ClientError) -> ClientConfiguration {
        try local(device: device, in: dataDirectory, protectedBy: protection, over: MosquittoTransport())
    }
}

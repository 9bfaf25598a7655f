import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOWebSocket

/// One connection to the door: HTTP, until a request makes it a WebSocket.
struct DoorChannel: HTTPChannelHandler {
    /// The protocol of the connection.
    enum Outcome: Sendable {
        case http(NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>)
        case events(EventUpgrade)
        /// Its pipeline forwards it.
        case mqtt
    }

    struct Value: ServerChildChannelValue {
        let outcome: EventLoopFuture<Outcome>
        let channel: any Channel
    }

    let responder: Responder
    let configuration: WebConfiguration
    let upgrades: Upgrades

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let limits = configuration.limits
            let gate = UpgradeGate(upgrades, limits.firstRequest)
            var pipeline = NIOUpgradableHTTPServerPipelineConfiguration(
                upgradeConfiguration: NIOTypedHTTPServerUpgradeConfiguration(
                    upgraders: [upgrades.upgrader(for: gate, of: channel)],
                    notUpgradingCompletionHandler: { channel in
                        channel.eventLoop.makeCompletedFuture { .http(try DoorChannel.http(channel, limits)) }
                    }))
            // Requests of one connection are answered one after the other by NIOAsyncChannel.
            pipeline.enablePipelining = false
            pipeline.enableErrorHandling = false
            pipeline.enableResponseHeaderValidation = false
            pipeline.decoderConfiguration.maxHeaderListSize = limits.headerBytes
            pipeline.decoderConfiguration.maxHeaderFieldSize = limits.headerBytes
            pipeline.decoderConfiguration.maxHeaderFieldCount = limits.headers
            let handlers = channel.pipeline.syncOperations
            let outcome = try handlers.configureUpgradableHTTPServerPipeline(configuration: pipeline)
            let decoder = try handlers.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try handlers.addHandler(gate, position: .after(decoder))
            return Value(outcome: outcome, channel: channel)
        }
    }

    private static func http(
        _ channel: any Channel, _ limits: DoorLimits
    ) throws -> NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart> {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
        try pipeline.addHandler(RequestClock(limits))
        try pipeline.addHandler(MalformedRequests())
        return try NIOAsyncChannel(
            wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
    }

    func handle(value: Value, logger: Logger) async {
        await withTaskExecutorPreference(LoopExecutor(value.channel.eventLoop)) { await serve(value, logger) }
    }

    private func serve(_ value: Value, _ logger: Logger) async {
        guard let outcome = try? await value.outcome.get() else {
            value.channel.close(promise: nil)
            return
        }
        switch outcome {
        case .http(let channel): await handleHTTP(asyncChannel: channel, logger: logger)
        case .events(let upgrade): await upgrade.serve()
        case .mqtt: try? await value.channel.closeFuture.get()
        }
    }
}

import ArgumentParser
import Logging
import ParleyWeb
import ServiceLifecycle

@main
struct ParleyWebProgram: AsyncParsableCommand {
    func run() async throws {
        var logger = Logger(label: "parley-web")
        logger.logLevel = .info
        let configuration = WebConfiguration(port: 9893, link: LinkConfiguration(port: 1893, name: "web"))
        let door = WebDoor(configuration, logger: logger) { port in print("ready \(port)") }
        try await ServiceGroup(services: [door], gracefulShutdownSignals: [.sigint, .sigterm], logger: logger).run()
    }
}

import ParleyWeb
import Platform
import ServiceLifecycle

/// Tells the service manager how the door is, until both are to end.
struct ManagedDoor: Service {
    let manager: ServiceManager
    let door: WebDoor

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await manager.keepAlive { _ in await door.answers() }
        }
        manager.send(.stopping)
    }
}

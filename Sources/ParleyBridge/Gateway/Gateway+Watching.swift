import ParleyProtocol
import Platform

// What an operator asks of a gateway that runs.

extension Gateway {
    /// Takes over what can change while it runs.
    package func reload(_ settings: Settings) -> SettingsReload {
        let reload = shared.settings.reload(settings)
        let new = shared.settings.current
        limits.apply(new)
        // The broker's plugin has the former ones.
        queue.add(Outgoing(), audience: [.limits(new.broker)])
        queue.intakeWake.signal()
        return reload
    }

    /// What it says of itself, from its making to its end.
    package var probes: Probes { Probes(shared: shared, queue: queue, directory: directory) }
}

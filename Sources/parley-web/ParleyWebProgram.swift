import ArgumentParser
import Logging
import ParleyWeb
import ServiceLifecycle

@main
struct ParleyWebProgram: ParsableCommand {
    func run() {}
}

// Nothing of its own: who builds this target builds the programs that a gateway needs, side by side. `swift build`
// takes one product at a time, and one after another leaves processors idle.
import ParleyBrokerPlugin
import parleyd

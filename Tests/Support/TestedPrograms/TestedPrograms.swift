// Nothing of its own: who builds this target builds all programs that checks run, side by side, as with ParleyPrograms.
import ParleyBrokerPlugin
import parley
import parley_model
import parleyd

import Foundation
import TernSimulator

guard let arguments = Arguments(Array(CommandLine.arguments.dropFirst())) else {
  FileHandle.standardError.write(Data((Arguments.usage + "\n").utf8))
  exit(64)
}

/// The program's only real clock; the simulation has its own.
let clock = ContinuousClock()
let started = clock.now
var lastProgress = started

func seconds() -> Double { (clock.now - started) / .seconds(1) }

func say(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }

let simulation = Simulation(seed: arguments.seed, options: arguments.options)
say("seed \(arguments.seed)\n")
let outcome: Simulation.Outcome
if arguments.tells {
  outcome = simulation.run(days: arguments.days, devices: arguments.devices, story: { print($0) })
} else {
  let isTerminal = isatty(2) != 0
  outcome = simulation.run(
    days: arguments.days, devices: arguments.devices,
    progress: { state in
      let pause: Duration = isTerminal ? .milliseconds(200) : .seconds(10)
      if clock.now - lastProgress > pause {
        lastProgress = clock.now
        say((isTerminal ? "\r" : "") + state.progress(seconds: seconds()) + (isTerminal ? "" : "\n"))
      }
      return arguments.keepsGoing || state.failures.isEmpty
    })
  if isTerminal { say("\n") }
}
print(outcome.summary(seconds: seconds()))
for failure in outcome.failures { print(failure.failureMessage(replay: simulation.command(seed: failure.seed))) }
exit(outcome.failures.isEmpty ? 0 : 1)

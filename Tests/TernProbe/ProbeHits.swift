import Foundation
import ProbeSupport
import Tern
import TernMeasurement

/// An app with a real Measurement Protocol client and no collector.
///
/// Option: `--directory PATH`. Command: `send LABEL`, answered with a line when the hit is recorded.
struct ProbeHits {
  private let client: MeasurementClient

  init(_ options: ProbeOptions) throws {
    guard let directory = options["directory"] else { fatalError("An app needs --directory.") }
    client = MeasurementClient(
      MeasurementClient.Configuration(
        directory: URL(fileURLWithPath: directory, isDirectory: true), callback: { body in Task { body() } }),
      environment: .live)
  }

  func run() async throws {
    say("ready")
    for await line in inputLines() {
      let label = String(line.dropFirst("send ".count))
      client.send(
        HitComposer.Tracker(trackingID: "UA-1-1"),
        ["&t": .text("item"), "&ti": .text("t"), "&in": .text("i"), "&el": .text(label)])
      say("sent \(label)")
    }
    await client.shutdown()
  }
}

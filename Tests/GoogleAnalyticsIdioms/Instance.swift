import Foundation
import GoogleAnalytics
import Tern
import TernTestSupport

private let world = MeasurementWorld()

/// Replaces the shared instance with one whose files and server are in memory. Both language modes use it at the same time.
func useInstanceForIdioms() {
  OncePerProcess.run("idioms") {
    GAI.replaceShared(
      with: GAI(
        directory: URL(fileURLWithPath: "/queue"), collector: URL(string: "http://collector.test"), appName: "Idioms",
        environment: world.environment(), callback: { body in Task { body() } }, logger: QuietLogger()))
  }
}

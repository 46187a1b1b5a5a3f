import Foundation
import TernBase
package import TernValues

/// A crash that the system reported, with the launch that crashed, for an owner that decides later what to do with it.
package struct EarlierDiagnostic: Sendable, Hashable {
  private struct Content: Sendable, Hashable, Codable {
    var diagnostic: CrashDiagnostic
    var launch: LaunchHistory.Launch?
  }

  private let content: Content

  init(_ diagnostic: CrashDiagnostic, _ launch: LaunchHistory.Launch?) {
    content = Content(diagnostic: diagnostic, launch: launch)
  }

  /// Decodes a diagnostic; returns `nil` if the bytes can't be decoded.
  package init?(_ bytes: [UInt8]) {
    guard let content = try? JSONDecoder().decode(Content.self, from: Data(bytes)) else { return nil }
    self.content = content
  }

  /// The bytes for `init(_:)`.
  package var encoded: [UInt8] { (try? JSONEncoder().encode(content)).map(Array.init) ?? [] }

  package var id: UniqueID { content.diagnostic.id }
  package var exception: ExceptionFacts { content.diagnostic.exception }
  package var signalName: String? { content.diagnostic.signalName }
  package var process: Int? { content.diagnostic.process ?? content.launch?.process }
  /// The process that crashed; session and user are known if its launch is certain.
  package var origin: TernClient.PreviousProcess { content.diagnostic.process(content.launch, on: .current) }
}

extension TernClient {
  /// Calls a closure with each crash that the system reports, and true if it is certain that the launch before this one
  /// crashed.
  package func receiveEarlierDiagnostics(_ receive: @escaping @Sendable (EarlierDiagnostic, Bool) -> Void) {
    guard engine.environment.catchesCrashes else { return }
    receiveDiagnostics { [weak engine] diagnostic in
      guard let engine, diagnostic.kind == .crash else { return }
      let earlier = engine.journal.withLock { $0 }?.earlier ?? LaunchHistory()
      let launch = earlier.launch(of: diagnostic)
      receive(EarlierDiagnostic(diagnostic, launch), launch != nil && launch == earlier.launches.last)
    }
  }
}

#if canImport(MetricKit)
  import Foundation
  import MetricKit

  /// Receives the crashes, hangs and terminations that MetricKit reports at a later launch.
  final class CrashDiagnostics: NSObject, MXMetricManagerSubscriber, Sendable {
    private let receive: @Sendable (CrashDiagnostic) -> Void
    private let reportsHangs: Bool
    private let terminations: Task<Void, Never>?

    /// Starts receiving, until `stop()`.
    init?(_ configuration: TernClient.Configuration, _ receive: @escaping @Sendable (CrashDiagnostic) -> Void) {
      self.receive = receive
      reportsHangs = configuration.reportsHangs
      terminations = configuration.reportsTerminations ? Self.receiveTerminations(receive) : nil
      super.init()
      MXMetricManager.shared.add(self)
    }

    /// The system keeps the subscriber until it is removed.
    func stop() {
      terminations?.cancel()
      MXMetricManager.shared.remove(self)
    }

    func didReceive(_ payloads: [MXDiagnosticPayload]) {
      for payload in payloads {
        for crash in payload.crashDiagnostics ?? [] {
          var diagnostic = diagnostic(crash, crash.callStackTree, in: payload)
          diagnostic.signal = crash.signal?.intValue
          diagnostic.exceptionType = crash.exceptionType?.intValue
          diagnostic.exceptionCode = crash.exceptionCode?.intValue
          diagnostic.terminationReason = crash.terminationReason
          if #available(iOS 17, macOS 14, macCatalyst 17, visionOS 1, *), let reason = crash.exceptionReason {
            diagnostic.exceptionName = reason.exceptionName.isEmpty ? nil : reason.exceptionName
            diagnostic.exceptionReason = reason.composedMessage.isEmpty ? nil : reason.composedMessage
          }
          receive(diagnostic)
        }
        guard reportsHangs else { continue }
        for hang in payload.hangDiagnostics ?? [] {
          var diagnostic = diagnostic(hang, hang.callStackTree, in: payload)
          diagnostic.kind = .hang(seconds: hang.hangDuration.converted(to: .seconds).value)
          receive(diagnostic)
        }
      }
    }

    private func diagnostic(
      _ diagnostic: MXDiagnostic, _ stacks: MXCallStackTree, in payload: MXDiagnosticPayload
    ) -> CrashDiagnostic {
      var process: Int?
      if #available(iOS 17, macOS 14, macCatalyst 17, visionOS 1, *) { process = Int(diagnostic.metaData.pid) }
      return CrashDiagnostic(
        appVersion: diagnostic.applicationVersion, appBuild: diagnostic.metaData.applicationBuildVersion,
        process: process, periodStart: payload.timeStampBegin, time: payload.timeStampEnd,
        callStacks: stacks.jsonRepresentation())
    }
  }
#else
  /// The system reports no crashes.
  final class CrashDiagnostics: Sendable {
    init?(_ configuration: TernClient.Configuration, _ receive: @escaping @Sendable (CrashDiagnostic) -> Void) {
      return nil
    }
    func stop() {}
  }
#endif

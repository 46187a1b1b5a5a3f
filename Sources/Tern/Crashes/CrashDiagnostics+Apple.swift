#if canImport(MetricKit)
  import Foundation
  import MetricKit

  /// Records the crashes that MetricKit reports at a later launch.
  final class CrashDiagnostics: NSObject, MXMetricManagerSubscriber, Sendable {
    private let engine: Engine

    init(_ engine: Engine) {
      self.engine = engine
      super.init()
      MXMetricManager.shared.add(self)
    }

    /// The system keeps the subscriber until it is removed.
    func stop() { MXMetricManager.shared.remove(self) }

    func didReceive(_ payloads: [MXDiagnosticPayload]) {
      for payload in payloads {
        for crash in payload.crashDiagnostics ?? [] {
          engine.recordCrash(
            CrashDiagnostic(
              signal: crash.signal?.intValue, exceptionType: crash.exceptionType?.intValue,
              exceptionCode: crash.exceptionCode?.intValue, terminationReason: crash.terminationReason,
              appVersion: crash.applicationVersion, appBuild: crash.metaData.applicationBuildVersion,
              time: payload.timeStampEnd, callStacks: crash.callStackTree.jsonRepresentation()))
        }
      }
    }
  }
#else
  /// The system reports no crashes.
  final class CrashDiagnostics: Sendable {
    init(_ engine: Engine) {}
    func stop() {}
  }
#endif

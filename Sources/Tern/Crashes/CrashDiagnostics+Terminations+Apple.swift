#if canImport(MetricKit)
  import Foundation
  import MetricKit

  extension CrashDiagnostics {
    // Xcode 27 has the interface; the compiler's version tells it.
    #if (compiler(>=6.4) || TERN_APPLE_STUBS) && !os(macOS) && !os(visionOS) && !targetEnvironment(macCatalyst)
      /// Receives the terminations for lack of memory, which only the interface of iOS 27 reports, until the task is cancelled.
      ///
      /// Crashes and hangs still come from the interface that all versions have, so that each is recorded once.
      static func receiveTerminations(_ receive: @escaping @Sendable (CrashDiagnostic) -> Void) -> Task<Void, Never>? {
        guard #available(iOS 27, *) else { return nil }
        return Task.detached(priority: .utility) {
          let manager = MetricManager()
          for await report in manager.diagnosticReports {
            guard case .memoryException(let diagnostic) = report.result else { continue }
            receive(
              CrashDiagnostic(
                kind: .memoryLimit, appVersion: report.environment.applicationVersion,
                appBuild: report.environment.applicationBuildVersion, process: report.environment.pid.map { Int($0) },
                periodStart: report.timeRange.start, time: report.timeRange.end,
                callStacks: diagnostic.callStackTree.json))
          }
        }
      }
    #else
      /// The system reports none.
      static func receiveTerminations(_ receive: @escaping @Sendable (CrashDiagnostic) -> Void) -> Task<Void, Never>? {
        nil
      }
    #endif
  }

  #if (compiler(>=6.4) || TERN_APPLE_STUBS) && !os(macOS) && !os(visionOS) && !targetEnvironment(macCatalyst)
    @available(iOS 27, *)
    extension MetricKit.CallStackTree {
      /// The stacks in the JSON of the earlier interface.
      fileprivate var json: Data {
        Tern.CallStackTree.json(
          of: callStackThreads.map { ($0.threadAttributed ?? false, Array($0.rootFrames)) },
          frame: {
            Tern.CallStackTree.Frame(
              binaryName: $0.binaryName(from: self), binaryUUID: $0.binaryUUID?.uuidString,
              offset: $0.offsetIntoBinaryTextSegment, address: $0.address,
              samples: UInt64(clamping: $0.sampleCount ?? 0))
          }, inner: { Array($0.subFrames) })
      }
    }
  #endif
#endif

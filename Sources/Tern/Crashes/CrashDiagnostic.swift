import Foundation
import TernBase
import TernCrash
import TernEvents
package import TernValues

/// A crash, a hang or a termination that the system reports after the fact, as Apple's MetricKit does: its parts, without the
/// framework.
package struct CrashDiagnostic: Sendable, Hashable, Codable {
  package enum Kind: Sendable, Hashable, Codable {
    case crash
    case hang(seconds: Double)
    /// The system ended the process because it used too much memory.
    case memoryLimit
  }

  var kind = Kind.crash
  /// The number of the signal.
  var signal: Int?
  /// The Mach exception and its code.
  var exceptionType: Int?
  var exceptionCode: Int?
  var terminationReason: String?
  /// The name and reason of the exception that was not caught, if the system tells them.
  var exceptionName: String?
  var exceptionReason: String?
  var appVersion: String
  var appBuild: String
  /// The number of the process, if the system tells it.
  var process: Int?
  /// The period in which it happened: the system tells no more.
  var periodStart: Date
  /// The end of the period.
  var time: Date
  /// The call stacks in the system's JSON.
  var callStacks: Data

  private static let names = [
    4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 8: "SIGFPE", 9: "SIGKILL", 10: "SIGBUS", 11: "SIGSEGV",
  ]

  /// The name of the signal.
  package var signalName: String? { signal.map { Self.names[$0] ?? "Signal \($0)" } }

  /// The facts for the event.
  package var exception: ExceptionFacts {
    let parts = [
      terminationReason, exceptionType.map { "Exception \($0)" }, exceptionCode.map { "code \($0)" },
    ].compactMap { $0 }
    var (type, isSampled) = (exceptionName ?? signalName ?? "Crash", false)
    var message = exceptionReason ?? (parts.isEmpty ? nil : parts.joined(separator: ", "))
    switch kind {
    case .crash: break
    case .hang(let seconds):
      (type, message, isSampled) = (ExceptionFacts.hangType, ExceptionFacts.hangMessage(seconds: seconds), true)
    case .memoryLimit: (type, message) = ("Memory limit", "The system ended the app because it used too much memory.")
    }
    return ExceptionFacts(
      type: type, message: message,
      frames: CallStackTree(callStacks).frames(isSampled: isSampled).enumerated().map { number, frame in
        .init(
          address: frame.address.map { "0x" + String($0, radix: 16) }, code: frame.place(isInnermost: number == 0))
      })
  }

  /// The process.
  ///
  /// - Parameters:
  ///   - launch: The launch that crashed; `nil` if it isn't certain, and then session and user are unknown.
  ///   - device: The current device, for a crash without a launch; its app may have been updated since.
  func process(_ launch: LaunchHistory.Launch?, on device: Device) -> TernClient.PreviousProcess {
    let context = launch?.crashContext
    var device = context?.device ?? device
    device.appVersion = appVersion
    device.appBuild = appBuild
    return TernClient.PreviousProcess(
      id: id, time: Timestamp(time), launched: launch.map { Timestamp(millisecondsSince1970: $0.launched) },
      session: context?.session, user: context?.user, device: device)
  }

  /// An identifier that a report has again if the system delivers it twice (UUID version 8, RFC 9562 §5.8).
  package var id: UniqueID {
    let bytes = Array("\(signal ?? 0) \(time.timeIntervalSince1970) \(appVersion) \(appBuild) ".utf8) + callStacks
    func hash(_ seed: UInt64) -> UInt64 { bytes.reduce(seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 } }
    return UniqueID(
      high: hash(0xCBF2_9CE4_8422_2325) & 0xFFFF_FFFF_FFFF_0FFF | 0x8000,
      low: hash(0x9E37_79B9_7F4A_7C15) & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
  }
}

extension Engine {
  /// Records what the system reports of an earlier launch. Only a crash is fatal: crash-free sessions count nothing else.
  func record(_ diagnostic: CrashDiagnostic) {
    guard recorder.withLock({ $0.isEnabled && !$0.off.contains(.errors) }) else { return }
    let launch = journal.withLock { $0 }?.earlier.launch(of: diagnostic)
    _ = recordEarlier(
      diagnostic.kind == .crash ? .crash : .handledError, diagnostic.exception,
      diagnostic.process(launch, on: currentDevice), [])
  }
}

import Foundation
import TernBase
import TernEvents

/// A crash that the system reports after the fact, as Apple's MetricKit does: its parts, without the framework.
struct CrashDiagnostic: Sendable {
  /// The number of the signal.
  var signal: Int?
  /// The Mach exception and its code.
  var exceptionType: Int?
  var exceptionCode: Int?
  var terminationReason: String?
  var appVersion: String
  var appBuild: String
  /// The end of the period in which the app crashed: the system tells no more.
  var time: Date
  /// The call stacks in the system's JSON.
  var callStacks: Data

  private static let names = [
    4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 8: "SIGFPE", 9: "SIGKILL", 10: "SIGBUS", 11: "SIGSEGV",
  ]

  /// The facts for the event.
  var exception: ExceptionFacts {
    let type = signal.map { Self.names[$0] ?? "Signal \($0)" } ?? "Crash"
    let parts = [
      terminationReason, exceptionType.map { "Exception \($0)" }, exceptionCode.map { "code \($0)" },
    ].compactMap { $0 }
    let tree = try? JSONDecoder().decode(CallStackTree.self, from: callStacks)
    let stacks = tree?.callStacks ?? []
    let crashed = stacks.first { $0.threadAttributed == true } ?? stacks.first
    return ExceptionFacts(
      type: type, message: parts.isEmpty ? nil : parts.joined(separator: ", "),
      frames: (crashed?.frames ?? []).map { frame in
        .init(address: frame.address.map { "0x" + String($0, radix: 16) }, code: frame.place)
      })
  }

  /// The process; `device` is the current one, whose app may have been updated since.
  func process(on device: Device) -> TernClient.PreviousProcess {
    var device = device
    device.appVersion = appVersion
    device.appBuild = appBuild
    return TernClient.PreviousProcess(
      id: id, time: Timestamp(millisecondsSince1970: Int64(saturating: time.timeIntervalSince1970 * 1000)),
      device: device)
  }

  /// An identifier that a report has again if the system delivers it twice (UUID version 8, RFC 9562 §5.8).
  private var id: UniqueID {
    let bytes = Array("\(signal ?? 0) \(time.timeIntervalSince1970) \(appVersion) \(appBuild) ".utf8) + callStacks
    func hash(_ seed: UInt64) -> UInt64 { bytes.reduce(seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 } }
    return UniqueID(
      high: hash(0xCBF2_9CE4_8422_2325) & 0xFFFF_FFFF_FFFF_0FFF | 0x8000,
      low: hash(0x9E37_79B9_7F4A_7C15) & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
  }
}

/// The call stacks in MetricKit's JSON: each frame contains its caller.
private struct CallStackTree: Decodable {
  struct Stack: Decodable {
    var threadAttributed: Bool?
    var callStackRootFrames: [Frame]?

    var frames: [Frame] {
      var frames: [Frame] = []
      var next = callStackRootFrames?.first
      while let frame = next, frames.count < 128 {
        frames.append(frame)
        next = frame.subFrames?.first
      }
      return frames
    }
  }

  struct Frame: Decodable {
    var binaryName: String?
    var binaryUUID: String?
    var offsetIntoBinaryTextSegment: UInt64?
    var address: UInt64?
    var subFrames: [Frame]?

    /// The frame in the form of docs/protocols.md.
    var place: String? {
      guard let binaryName, let offset = offsetIntoBinaryTextSegment else { return nil }
      let identifier = (binaryUUID ?? "").replacingOccurrences(of: "-", with: "").lowercased()
      return "\(binaryName)(+0x\(String(offset, radix: 16))) [\(identifier)]"
    }
  }

  var callStacks: [Stack]?
}

extension Int64 {
  /// Converts a number of any size; NaN becomes zero.
  fileprivate init(saturating value: Double) {
    self = Int64(exactly: value.rounded()) ?? (value > 0 ? .max : value < 0 ? .min : 0)
  }
}

extension Engine {
  /// Records a crash that the system reports.
  func recordCrash(_ diagnostic: CrashDiagnostic) {
    guard recorder.withLock({ $0.isEnabled && !$0.off.contains(.errors) }) else { return }
    _ = recordCrash(diagnostic.exception, diagnostic.process(on: currentDevice), [])
  }
}

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

open class MXMetricManager: NSObject {
  open class var shared: MXMetricManager { fatalError() }
  open func add(_ subscriber: any MXMetricManagerSubscriber) { fatalError() }
  open func remove(_ subscriber: any MXMetricManagerSubscriber) { fatalError() }
}

public protocol MXMetricManagerSubscriber: NSObjectProtocol {
  func didReceive(_ payloads: [MXDiagnosticPayload])
}

open class MXDiagnosticPayload: NSObject {
  open var crashDiagnostics: [MXCrashDiagnostic]? { fatalError() }
  open var hangDiagnostics: [MXHangDiagnostic]? { fatalError() }
  open var timeStampBegin: Date { fatalError() }
  open var timeStampEnd: Date { fatalError() }
}

open class MXDiagnostic: NSObject {
  open var metaData: MXMetaData { fatalError() }
  open var applicationVersion: String { fatalError() }
}

open class MXMetaData: NSObject {
  open var osVersion: String { fatalError() }
  open var deviceType: String { fatalError() }
  open var applicationBuildVersion: String { fatalError() }
  open var pid: Int32 { fatalError() }
}

open class MXCrashDiagnostic: MXDiagnostic {
  open var callStackTree: MXCallStackTree { fatalError() }
  open var terminationReason: String? { fatalError() }
  open var virtualMemoryRegionInfo: String? { fatalError() }
  open var exceptionType: NSNumber? { fatalError() }
  open var exceptionCode: NSNumber? { fatalError() }
  open var signal: NSNumber? { fatalError() }
  open var exceptionReason: MXCrashDiagnosticObjectiveCExceptionReason? { fatalError() }
}

open class MXCrashDiagnosticObjectiveCExceptionReason: NSObject {
  open var composedMessage: String { fatalError() }
  open var exceptionName: String { fatalError() }
}

open class MXHangDiagnostic: MXDiagnostic {
  open var callStackTree: MXCallStackTree { fatalError() }
  open var hangDuration: Measurement<UnitDuration> { fatalError() }
}

open class MXCallStackTree: NSObject {
  open func jsonRepresentation() -> Data { fatalError() }
}

@available(iOS 27, *)
public final class MetricManager {
  public init() { fatalError() }
  public var diagnosticReports: some AsyncSequence<DiagnosticReport, Never> { AsyncStream { _ in fatalError() } }
}

@available(iOS 27, *)
public struct DiagnosticReport: Sendable {
  public struct Environment: Sendable {
    public let applicationVersion: String
    public let applicationBuildVersion: String
    public let pid: Int32?
  }

  public let environment: Environment
  public let result: DiagnosticResult
  public let timeRange: DateInterval
}

@available(iOS 27, *)
public enum DiagnosticResult: Sendable {
  case memoryException(MemoryExceptionDiagnostic)
  case crash
}

@available(iOS 27, *)
public struct MemoryExceptionDiagnostic: Sendable {
  public let callStackTree: CallStackTree
}

@available(iOS 27, *)
public struct CallStackTree: Sendable {
  public let callStackThreads: ContiguousArray<CallStackThread>
}

@available(iOS 27, *)
public struct CallStackThread: Sendable {
  public let threadAttributed: Bool?
  public let rootFrames: ContiguousArray<CallStackFrame>
}

@available(iOS 27, *)
public struct CallStackFrame: Sendable {
  public let binaryUUID: UUID?
  public let address: UInt64?
  public let offsetIntoBinaryTextSegment: UInt64?
  public let sampleCount: Int?
  public let subFrames: ContiguousArray<CallStackFrame>
  public func binaryName(from tree: CallStackTree) -> String? { fatalError() }
}

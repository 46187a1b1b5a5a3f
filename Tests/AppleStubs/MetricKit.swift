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

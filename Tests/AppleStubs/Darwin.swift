// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation
// The C library is this machine's; Apple's additions are declared here.
@_exported public import Glibc

public let F_FULLFSYNC: Int32 = 51

public func sysctlbyname(
  _ name: UnsafePointer<CChar>?, _ value: UnsafeMutableRawPointer?, _ size: UnsafeMutablePointer<Int>?,
  _ newValue: UnsafeMutableRawPointer?, _ newSize: Int
) -> Int32 { fatalError() }

// Foundation is this machine's, too; Apple's additions are declared here.
extension ProcessInfo {
  public func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (Bool) -> Void) {
    fatalError()
  }

  public struct ActivityOptions: OptionSet, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    public static let background = ActivityOptions(rawValue: 1)
    public static let suddenTerminationDisabled = ActivityOptions(rawValue: 2)
    public static let automaticTerminationDisabled = ActivityOptions(rawValue: 4)
  }

  public func beginActivity(options: ActivityOptions = [], reason: String) -> any NSObjectProtocol { fatalError() }
  public func endActivity(_ activity: any NSObjectProtocol) { fatalError() }
}

public struct extern_proc {
  public var p_flag: Int32 = 0
}

public struct kinfo_proc {
  public var kp_proc = extern_proc()
  public init() {}
}

public let CTL_KERN: Int32 = 1
public let KERN_PROC: Int32 = 14
public let KERN_PROC_PID: Int32 = 1
public let P_TRACED: Int32 = 0x800

public func sysctl(
  _ name: UnsafeMutablePointer<Int32>?, _ count: UInt32, _ value: UnsafeMutableRawPointer?,
  _ size: UnsafeMutablePointer<Int>?, _ newValue: UnsafeMutableRawPointer?, _ newSize: Int
) -> Int32 { fatalError() }

open class NSException: NSObject {
  public var name: NSExceptionName { fatalError() }
  public var reason: String? { fatalError() }
  public var callStackSymbols: [String] { fatalError() }
}

public struct NSExceptionName: RawRepresentable, Sendable {
  public var rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
}

// Apple's are C functions, which cannot take a class without Objective-C.
public func NSGetUncaughtExceptionHandler() -> (@Sendable (NSException) -> Void)? { fatalError() }
public func NSSetUncaughtExceptionHandler(_ handler: (@Sendable (NSException) -> Void)?) { fatalError() }

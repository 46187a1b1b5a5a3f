// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Dispatch

public final class NWPathMonitor {
  public init() { fatalError() }
  public var pathUpdateHandler: (@Sendable (NWPath) -> Void)? {
    get { fatalError() }
    set { fatalError() }
  }
  public func start(queue: DispatchQueue) { fatalError() }
  public func cancel() { fatalError() }
}

public struct NWPath {
  public enum Status { case satisfied, unsatisfied, requiresConnection }
  public let status: Status
  public let availableInterfaces: [NWInterface]
}

public struct NWInterface {
  public let name: String
}

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

@_exported public import Foundation

@MainActor open class NSApplication: NSObject {
  nonisolated public class var didHideNotification: NSNotification.Name { fatalError() }
  nonisolated public class var didUnhideNotification: NSNotification.Name { fatalError() }
  nonisolated public class var willTerminateNotification: NSNotification.Name { fatalError() }
}

open class NSWorkspace: NSObject {
  public class var shared: NSWorkspace { fatalError() }
  public var notificationCenter: NotificationCenter { fatalError() }
  public class var willSleepNotification: NSNotification.Name { fatalError() }
  public class var didWakeNotification: NSNotification.Name { fatalError() }
}

open class NSScreen: NSObject {
  open class var main: NSScreen? { fatalError() }
  open var frame: NSRect { fatalError() }
  open func convertRectToBacking(_ rect: NSRect) -> NSRect { fatalError() }
}

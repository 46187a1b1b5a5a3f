// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

@_exported public import Foundation

@MainActor open class WKApplication: NSObject {
  public static var didEnterBackgroundNotification: NSNotification.Name { fatalError() }
  public static var willEnterForegroundNotification: NSNotification.Name { fatalError() }
  public static var didBecomeActiveNotification: NSNotification.Name { fatalError() }
}

@MainActor open class WKInterfaceDevice: NSObject {
  open class func current() -> WKInterfaceDevice { fatalError() }
  open var screenBounds: CGRect { fatalError() }
  open var screenScale: CGFloat { fatalError() }
}

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

@_exported public import Foundation

@MainActor open class UIViewController: NSObject {
  public override init() { fatalError() }
  open func viewDidAppear(_ animated: Bool) { fatalError() }
}

@MainActor open class UIApplication: NSObject {
  nonisolated public class var didEnterBackgroundNotification: NSNotification.Name { fatalError() }
  nonisolated public class var willEnterForegroundNotification: NSNotification.Name { fatalError() }
  nonisolated public class var didBecomeActiveNotification: NSNotification.Name { fatalError() }
  nonisolated public class var willTerminateNotification: NSNotification.Name { fatalError() }
  nonisolated public class var protectedDataDidBecomeAvailableNotification: NSNotification.Name { fatalError() }
  nonisolated public class var didReceiveMemoryWarningNotification: NSNotification.Name { fatalError() }
}

@MainActor open class UIScreen: NSObject {
  open class var main: UIScreen { fatalError() }
  open var nativeBounds: CGRect { fatalError() }
}

// Objective-C exceptions exist only where Objective-C does.
#if canImport(ObjectiveC)
  public import Foundation

  extension Crashes {
    #if os(macOS) || targetEnvironment(macCatalyst)
      /// Does nothing: exceptions are not caught yet.
      public class func applicationDidReport(_ exception: NSException) {}
    #endif
  }

  extension ExceptionModel {
    /// Creates a description of an exception.
    public convenience init!(withException exception: NSException) {
      self.init(
        withType: exception.name.rawValue, exceptionMessage: exception.reason ?? "",
        stackTrace: exception.callStackSymbols)
    }
  }
#endif

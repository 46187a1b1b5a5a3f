// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

import Foundation
import TernMeasurement

extension GAI {
  /// Has hits translated to the GA4 Measurement Protocol, so that an app keeps a Google Analytics account; not in the
  /// original.
  ///
  /// They are sent to `/mp/collect` of ``collector``, which has no default here either. What becomes of each kind of hit
  /// is said in docs/google-analytics.md.
  ///
  /// - Parameters:
  ///   - measurementId: Names the stream, such as `G-…`; `nil` ends the translation, which is the default.
  ///   - apiSecret: The secret of the stream; whoever takes the app apart can read it.
  public func translateToGA4(measurementId: String!, apiSecret: String!) {
    if let measurementId, let apiSecret {
      engine.ga4 = GA4Property(measurementID: measurementId, secret: apiSecret)
    } else {
      engine.ga4 = nil
    }
  }
}

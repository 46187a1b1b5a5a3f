// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

import Foundation
import TernMeasurement

extension GAI {
  /// Translates hits to the GA4 Measurement Protocol, for apps that keep a Google Analytics account; not in the
  /// original.
  ///
  /// Events are sent to `/mp/collect` at ``collector``, which has no default here either. docs/google-analytics.md lists
  /// the translation of each hit type.
  ///
  /// - Parameters:
  ///   - measurementId: The stream, such as `G-…`; `nil`, the default, ends the translation.
  ///   - apiSecret: The secret of the stream; it can be extracted from the app.
  public func translateToGA4(measurementId: String!, apiSecret: String!) {
    if let measurementId, let apiSecret {
      engine.ga4 = GA4Property(measurementID: measurementId, secret: apiSecret)
    } else {
      engine.ga4 = nil
    }
  }
}

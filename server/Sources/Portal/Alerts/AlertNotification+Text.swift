import Alerts
import Outgoing

extension AlertNotification.Delivery {
  /// The state of the delivery in words.
  var text: String {
    switch status {
    case .delivered: "\(destination): yes"
    case .waiting where failures == 0: "\(destination): soon"
    case .waiting: "\(destination): not yet, \(answer)"
    case .failed: "\(destination): no, \(answer)"
    }
  }
}

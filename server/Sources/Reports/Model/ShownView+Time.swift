package import TernEvents
package import Warehouse

extension ShownView {
  /// A view with the rules of the day that a time belongs to.
  package init(_ view: View, now: Timestamp) { self.init(view, today: ReportZone(view.zone).day(of: now)) }
}

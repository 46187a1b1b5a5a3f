package import Alerts
package import Warehouse

/// Everything that is administered: apps and what belongs to them, and who may do what.
package typealias CollectorCatalog = CatalogEditor & AccessStore & AlertStore & MailReportStore

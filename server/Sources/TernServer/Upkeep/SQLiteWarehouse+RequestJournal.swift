import HTTP
package import Warehouse
import WarehouseSQLite

extension SQLiteWarehouse: RequestJournal {
  package func begin(request: String) throws(WarehouseError) -> @Sendable () -> Void {
    let mark = try journal.begin(.request(request))
    return { [journal] in journal.end(mark) }
  }
}

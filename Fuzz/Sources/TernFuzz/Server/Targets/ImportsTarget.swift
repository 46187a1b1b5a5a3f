import Foundation
import Ingest
import TernEvents
import Warehouse

@testable import WarehouseSQLite
@testable import WarehouseUpkeep

extension FuzzTarget {
  /// Exports that are imported, many after another into one warehouse.
  static var imports: FuzzTarget {
    let check = ImportCheck()
    return FuzzTarget(
      changes: 8, mutator: .json(names: ImportVocabulary.names, values: NativeVocabulary.values)
    ) {
      check.add($0)
    } finish: {
      check.finish()
    }
  }
}

/// Imports inputs into one warehouse, which is verified and replaced after some hundred.
private final class ImportCheck {
  private static let inputsAtOnce = 500
  private var warehouse = OpenWarehouse(batches: 0)
  private var record = SharedInputs()

  func add(_ input: UnsafeRawBufferPointer) {
    let bytes = Array(input)
    let app = warehouse.app
    record.add(bytes)
    warehouse.wait { warehouse in
      let sent = SentOnce(bytes)
      do {
        _ = try await warehouse.importRows(to: app, server: "server") { sent.take() }
      } catch let error as WarehouseError where error.code == .invalid {
        // Damaged; what precedes the damage is stored.
      }
    }
    guard record.isSingle || record.count == Self.inputsAtOnce else { return }
    finish()
    warehouse = OpenWarehouse(batches: 0)
  }

  /// Verifies what was imported.
  func finish() {
    warehouse.finish()
    record.clear()
  }
}

/// Bytes that are read once.
private final class SentOnce {
  private var bytes: [UInt8]
  init(_ bytes: [UInt8]) { self.bytes = bytes }
  func take() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }
}

enum ImportVocabulary {
  static let names =
    NativeVocabulary.names
      + """
      tern version timeZone server app row received kind key hash slot string integer double boolean parameters error id \
      fingerprint place stack raw isTextRemoved attachment rejected day protocol reason count rejection ledger tracked \
      delivered waiting inFlight dropped end device session startsSession user install hit said position
      """.split(separator: " ").map(String.init)
}

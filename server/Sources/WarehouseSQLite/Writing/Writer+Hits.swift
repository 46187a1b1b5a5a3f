import Ingest
import Warehouse

extension Writer {
  /// The number of rows after which the hits in memory are stored, to bound what a start must read.
  private static let hitInterval: Int64 = 250_000

  /// Reads the hits of the rows after those that the stored ones include, following a start or a failed transaction.
  func readHits() throws {
    hits.removeAll()
    mustReadHits = true
    hitsID = try hits.storedRow()
    while try readSomeHits() {
      try transact { try storeHits() }
    }
    mustReadHits = false
  }

  /// Reads the hits of some rows; returns true if there are more.
  private func readSomeHits() throws -> Bool {
    guard lastID > hitsID else { return false }
    let end = min(lastID, hitsID + Self.hitInterval)
    let scan = try EventScan(connection, ids: hitsID + 1...end, damage: damage)
    while let row = try scan.next() { try hits.note(row) }
    guard end < lastID else { return false }
    hitsID = end
    return true
  }

  /// Stores the hits in memory if there are rows enough, in the open transaction.
  package func storeHitsIfDue() throws {
    guard lastID - hitsID >= Self.hitInterval else { return }
    hitsID = lastID
    try storeHits()
  }

  private func storeHits() throws { try hits.store(through: hitsID) }

  /// Stores the hits in memory.
  package func finishHits() throws {
    if mustReadHits { try readHits() }
    guard lastID > hitsID else { return }
    try transact {
      hitsID = lastID
      try storeHits()
    }
  }
}

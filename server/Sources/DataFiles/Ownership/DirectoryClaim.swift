/// The decisions about who may use a data directory, without I/O.
///
/// A lock excludes other processes only where the kernel knows that they mean the same directory. It doesn't where they
/// reach it through a FUSE file system, another machine or another container's network volume. Therefore the directory
/// has a file that names its owner, with a number that the owner increases all the time:
///
/// * A process that holds the lock and finds the name of an owner at the same ``OwnerRecord/place`` replaces it and uses the
///   directory. So a server that was killed starts again at once, whatever its process number is. Some file systems give every
///   process the lock: an owner that is alive then finds the new name, and stops.
///   If that owner had only just put its name there, the next point applies to its successor.
/// * Another owner is gone if its record stays the same over ten readings. It is then replaced, and the directory is used only
///   if the new name is still there after three readings: the former owner, or another process that did the same, has then seen
///   it and stopped.
/// * An owner that finds another name, or none, stops.
///
/// An owner reads the file before and after each commit, and confirms only what was committed under its name. No clock is
/// involved: a process that was suspended finds another name in the file, however long it was away.
package struct DirectoryClaim: Hashable, Sendable {
  /// The purposes for which a directory is opened.
  package enum Purpose: Sendable {
    /// Writing everything; the process holds the lock of the directory.
    case own
    /// Reading, and writing to the catalog, beside an owner at the same place.
    case visit
  }

  /// The results of what was asked for.
  package enum Event: Hashable, Sendable {
    /// The content of the file; `nil` if there is none.
    case read(OwnerRecord?)
    /// The outcome of ``Action/create``: false if there was a file.
    case created(Bool)
    /// The outcome of ``Action/replace(_:settles:)``: false if the record was another one.
    case replaced(Bool)
  }

  /// The steps that a claim asks for.
  package enum Action: Hashable, Sendable {
    case read
    /// Read after an interval that is as long for all processes.
    case readLater
    /// Create the file with the own record, if there is none.
    case create
    /// Put a file with the own record in the place of the one with this record.
    case replace(OwnerRecord, settles: Bool)
    /// Increase the number in the own file.
    case beat
    /// Use the directory.
    case enter
    /// Don't use the directory: the owner is alive.
    case refuse(OwnerRecord?)
    /// Write nothing from now on: the directory has another owner, or the file is gone.
    case stop(OwnerRecord?)
  }

  private enum State: Hashable {
    case looking
    case watching(OwnerRecord, readings: Int)
    case creating
    case replacing(settles: Bool)
    case settling(readings: Int)
    case owning
    case over
  }

  /// The readings without a change after which an owner is gone.
  private let patience: Int
  /// The readings for which a name that replaced another must stay: more than the one in which a running owner sees it.
  private let settling: Int
  private let purpose: Purpose
  private let place: String?
  /// The name in the file of this process.
  private let name: String
  private var state = State.looking

  /// Creates a claim, which begins with a reading.
  ///
  /// - Parameters:
  ///   - name: A name that no other process has.
  ///   - place: The place of the directory; `nil` if it can't be determined, so that no lock proves anything.
  package init(_ purpose: Purpose, name: String, place: String?, patience: Int = 10, settling: Int = 3) {
    (self.purpose, self.name, self.place) = (purpose, name, place)
    (self.patience, self.settling) = (patience, settling)
  }

  /// Returns what is to be done next.
  package mutating func handle(_ event: Event) -> [Action] {
    switch (state, event) {
    case (.looking, .read(let record)): return look(record)
    case (.watching(let known, let readings), .read(let record)):
      guard record == known else { return changed(record) }
      return unchanged(known, readings: readings + 1)
    case (.creating, .created(true)), (.replacing(settles: false), .replaced(true)):
      return enter(.owning, [.enter, .readLater])
    case (.creating, .created(false)), (.replacing, .replaced(false)): return enter(.looking, [.read])
    case (.replacing(settles: true), .replaced(true)): return enter(.settling(readings: 0), [.readLater])
    case (.settling(let readings), .read(let record)):
      guard record?.name == name else { return enter(.over, [.refuse(record)]) }
      guard readings + 1 >= settling else { return enter(.settling(readings: readings + 1), [.readLater]) }
      return enter(.owning, [.enter, .readLater])
    case (.owning, .read(let record)):
      return record?.name == name ? [.beat, .readLater] : enter(.over, [.stop(record)])
    default: return []
    }
  }

  private mutating func look(_ record: OwnerRecord?) -> [Action] {
    guard let record else { return purpose == .own ? enter(.creating, [.create]) : enter(.over, [.enter]) }
    guard isHere(record) else { return enter(.watching(record, readings: 0), [.readLater]) }
    return replace(record, settles: !record.isSettled)
  }

  private mutating func changed(_ record: OwnerRecord?) -> [Action] {
    guard let record, !isHere(record) else { return look(record) }
    return enter(.over, [.refuse(record)])
  }

  private mutating func unchanged(_ record: OwnerRecord, readings: Int) -> [Action] {
    guard readings >= patience else { return enter(.watching(record, readings: readings), [.readLater]) }
    return replace(record, settles: true)
  }

  private mutating func replace(_ record: OwnerRecord, settles: Bool) -> [Action] {
    guard purpose == .own else { return enter(.over, [.enter]) }
    return enter(.replacing(settles: settles), [.replace(record, settles: settles)])
  }

  private func isHere(_ record: OwnerRecord) -> Bool { place != nil && record.place == place }

  private mutating func enter(_ state: State, _ actions: [Action]) -> [Action] {
    self.state = state
    return actions
  }
}

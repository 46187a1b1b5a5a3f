/// The decisions about who may use a data directory, without I/O.
///
/// A lock excludes other processes only where the kernel knows that they mean the same directory. It doesn't where they
/// reach it through a FUSE file system, another machine or another container's network volume. Therefore the directory
/// has a file that names its owner, with a number that the owner increases all the time:
///
/// * Whoever holds the lock and finds the name of an owner at the same ``OwnerRecord/place`` knows that this owner is gone, and
///   goes on under its name. So a server that was killed starts again at once, whatever its process number is.
///   If that owner had only just put its name there, the next point applies to its successor.
/// * Another owner is gone if its number stays the same over ten readings. Its name is then replaced, and the directory is
///   used only if the new name is still there after three readings: the former owner, or another process that did the same,
///   has then seen it and stopped.
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
    /// The outcome of ``Action/adopt(_:)``: false if the file had another name.
    case adopted(Bool)
    /// ``Action/replace`` has succeeded.
    case replaced
  }

  /// The steps that a claim asks for.
  package enum Action: Hashable, Sendable {
    case read
    /// Read after an interval that is as long for all processes.
    case readLater
    /// Create the file with the own record, if there is none.
    case create
    /// Continue the file that has this name.
    case adopt(String)
    /// Put a file with the own record in the place of the present one.
    case replace
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
    case adopting(settles: Bool)
    case replacing
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
  package private(set) var name: String
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
    case (.creating, .created(true)), (.adopting(settles: false), .adopted(true)):
      return enter(.owning, [.enter, .readLater])
    case (.creating, .created(false)), (.adopting, .adopted(false)): return enter(.looking, [.read])
    case (.replacing, .replaced), (.adopting(settles: true), .adopted(true)):
      return enter(.settling(readings: 0), [.readLater])
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
    guard purpose == .own else { return enter(.over, [.enter]) }
    name = record.name
    return enter(.adopting(settles: !record.isSettled), [.adopt(record.name)])
  }

  private mutating func changed(_ record: OwnerRecord?) -> [Action] {
    guard let record, !isHere(record) else { return look(record) }
    return enter(.over, [.refuse(record)])
  }

  private mutating func unchanged(_ record: OwnerRecord, readings: Int) -> [Action] {
    guard readings >= patience else { return enter(.watching(record, readings: readings), [.readLater]) }
    return purpose == .own ? enter(.replacing, [.replace]) : enter(.over, [.enter])
  }

  private func isHere(_ record: OwnerRecord) -> Bool { place != nil && record.place == place }

  private mutating func enter(_ state: State, _ actions: [Action]) -> [Action] {
    self.state = state
    return actions
  }
}

import Testing

@testable import DataFiles
@testable import Warehouse

/// Processes that claim one directory, in all orders of their steps, with processes that stall, are killed and start again.
@Suite struct DirectoryClaimTests {
  /// The state of all processes and of the file.
  private struct World: Hashable {
    struct Process: Hashable {
      var claim: DirectoryClaim
      var record: OwnerRecord
      /// What it will do next; it waits for the next interval if that is to read later.
      var actions: [DirectoryClaim.Action] = [.read]
      /// The file that it writes to.
      var file: Int?
      var isAlive = true
      var isStalled = false
      /// True if it was stalled and has not read the file since.
      var isBehind = false
      var hasEntered = false
      /// True if it has found the record that it replaces, and goes on to rename its file.
      var isRenaming = false
    }

    var files: [Int: OwnerRecord] = [:]
    /// The file under the name; `nil` if there is none.
    var present: Int?
    var processes: [Process]
    /// The last process that began to use the directory.
    var last: Int?
    var stalls: Int
    var kills: Int
    /// False if every process gets the lock, as on some FUSE file systems. Then something may happen between the two steps of
    /// replacing a file, too: reading it and renaming another.
    var locks = true

    var record: OwnerRecord? { present.flatMap { files[$0] } }

    /// True if the process would confirm a commit.
    func confirms(_ index: Int) -> Bool {
      let process = processes[index]
      return process.isAlive && process.hasEntered && record?.name == process.record.name
    }
  }

  private struct Limits {
    var patience = 2
    var settling = 2
  }

  private static func process(_ name: String, _ place: String?, _ limits: Limits) -> World.Process {
    World.Process(
      claim: DirectoryClaim(
        .own, name: name, place: place, patience: limits.patience, settling: limits.settling),
      record: OwnerRecord(name: name, place: place))
  }

  /// Performs the next action of a process; returns a sentence if that breaks a promise.
  private static func step(_ world: inout World, _ index: Int) -> String? {
    var process = world.processes[index]
    let action = process.actions.removeFirst()
    var event: DirectoryClaim.Event?
    switch action {
    case .read:
      event = .read(world.record)
      process.isBehind = false
    case .create:
      event = .created(world.present == nil)
      process.record.beat = 1
      if world.present == nil { write(&world, &process) }
    case .replace(let former, let settles):
      let isThere = process.isRenaming || world.record == former
      process.isRenaming = isThere && !process.isRenaming && !world.locks
      if process.isRenaming {
        process.actions.insert(action, at: 0)
        break
      }
      event = .replaced(isThere)
      process.record.beat = settles ? 0 : 1
      if isThere { write(&world, &process) }
    case .beat:
      // A few numbers are enough: a process that isn't stalled reads each one.
      process.record.beat = process.record.beat % 4 + 1
      if let file = process.file { world.files[file] = process.record }
    case .readLater, .enter, .refuse, .stop: break
    }
    if let event { process.actions += process.claim.handle(event) }
    var fault: String?
    // Without I/O, these are part of the same step.
    switch process.actions.first {
    case .enter:
      process.actions.removeFirst()
      process.hasEntered = true
      world.last = index
      for (other, rival) in world.processes.enumerated()
      where world.locks && other != index && rival.isAlive && rival.hasEntered && !rival.isBehind {
        fault = "\(index) uses the directory beside \(other)"
      }
    case .refuse, .stop:
      process.actions = []
      process.isAlive = false
    default: break
    }
    world.processes[index] = process
    world.files = world.files.filter { file, _ in
      file == world.present || world.processes.contains { $0.isAlive && $0.file == file }
    }
    return fault
  }

  private static func write(_ world: inout World, _ process: inout World.Process) {
    let file = (0...).first { world.files[$0] == nil } ?? 0
    world.files[file] = process.record
    world.present = file
    process.file = file
  }

  /// Returns all that can happen next.
  private static func successors(_ world: World, _ limits: Limits) -> [(World, String?)] {
    var next: [(World, String?)] = []
    for (index, process) in world.processes.enumerated() {
      guard process.isAlive else {
        // The lock of its place is free. It starts under another name.
        guard world.kills > 0, process.actions.isEmpty else { continue }
        var changed = world
        changed.kills -= 1
        changed.processes[index] = Self.process("again \(index) \(world.kills)", process.record.place, limits)
        next.append((changed, nil))
        continue
      }
      if process.isStalled {
        var changed = world
        changed.processes[index].isStalled = false
        next.append((changed, nil))
        continue
      }
      if let action = process.actions.first, action != .readLater {
        var changed = world
        let fault = step(&changed, index)
        next.append((changed, fault))
      }
      if world.stalls > 0 {
        var changed = world
        changed.stalls -= 1
        changed.processes[index].isStalled = true
        changed.processes[index].isBehind = true
        next.append((changed, nil))
      }
      if world.kills > 0 {
        var changed = world
        changed.processes[index].isAlive = false
        changed.processes[index].actions = []
        next.append((changed, nil))
      }
    }
    let isIdle = world.processes.allSatisfy { !$0.isAlive || $0.isStalled || $0.actions.first == .readLater }
    if isIdle {
      var changed = world
      for index in changed.processes.indices where world.processes[index].isAlive && !world.processes[index].isStalled {
        changed.processes[index].actions[0] = .read
      }
      next.append((changed, nil))
    }
    return next
  }

  /// Visits all states; returns their number and the first broken promise.
  private static func explore(_ start: World, _ limits: Limits = Limits()) -> (states: Int, fault: String?) {
    var seen: Set<World> = [start]
    var waiting = [start]
    while let world = waiting.popLast() {
      for (next, fault) in successors(world, limits) {
        if let fault { return (seen.count, fault) }
        for index in next.processes.indices where next.confirms(index) && next.last != index {
          return (seen.count, "\(index) confirms after \(next.last ?? -1) has taken over")
        }
        if seen.insert(next).inserted { waiting.append(next) }
      }
    }
    return (seen.count, nil)
  }

  private static func world(
    places: [String?], stale: OwnerRecord? = nil, locks: Bool = true, _ limits: Limits = Limits()
  ) -> World {
    var world = World(
      processes: places.enumerated().map { process("\($0.offset)", $0.element, limits) }, stalls: 1, kills: 1,
      locks: locks)
    if let stale {
      world.files[0] = stale
      world.present = 0
    }
    return world
  }

  @Test(arguments: [nil, "here", "there", "elsewhere"] as [String?])
  func `nothing is confirmed after another process has taken over, in any order of steps`(stale: String?) {
    let record = stale.map { OwnerRecord(name: "gone", place: $0, beat: 1) }
    let (states, fault) = Self.explore(Self.world(places: ["here", "there"], stale: record))
    #expect(fault == nil)
    #expect(states > 1_000)
  }

  @Test func `processes at unknown places exclude each other`() {
    let (states, fault) = Self.explore(
      Self.world(places: [nil, nil], stale: OwnerRecord(name: "gone", place: nil, beat: 1)))
    #expect(fault == nil)
    #expect(states > 1_000)
  }

  @Test(arguments: [nil, "here", "elsewhere"] as [String?], ["here", "there"])
  func `where a lock excludes nobody, nothing is confirmed after another process has taken over`(
    stale: String?, second: String
  ) {
    let record = stale.map { OwnerRecord(name: "gone", place: $0, beat: 1) }
    let (states, fault) = Self.explore(Self.world(places: ["here", second], stale: record, locks: false))
    #expect(fault == nil)
    #expect(states > 1_000)
  }

  @Test func `without time for the former owner to see it, two would use the directory`() {
    let limits = Limits(settling: 1)
    let stale = OwnerRecord(name: "gone", place: "here", beat: 1)
    #expect(Self.explore(Self.world(places: ["here", "there"], stale: stale, limits), limits).fault != nil)
  }

  /// Returns what a single process does with a file that no other changes: the actions until it may use the directory.
  private func actions(_ purpose: DirectoryClaim.Purpose, _ record: OwnerRecord?) -> [DirectoryClaim.Action] {
    var claim = DirectoryClaim(purpose, name: "new", place: "here")
    var record = record
    var all: [DirectoryClaim.Action] = [.read]
    var position = 0
    while position < all.count, all[position] != .enter {
      defer { position += 1 }
      switch all[position] {
      case .read, .readLater: all += claim.handle(.read(record))
      case .create: all += claim.handle(.created(true))
      case .replace:
        record = OwnerRecord(name: "new", place: "here")
        all += claim.handle(.replaced(true))
      default: break
      }
    }
    return Array(all[..<min(position + 1, all.count)])
  }

  @Test func `a server that was killed starts again at once`() {
    let old = OwnerRecord(name: "old", place: "here", beat: 7)
    #expect(actions(.own, old) == [.read, .replace(old, settles: false), .enter])
    #expect(actions(.own, nil) == [.read, .create, .enter])
  }

  @Test func `after a restart of the computer, a server waits and then takes over`() {
    let old = OwnerRecord(name: "old", place: "before", beat: 7)
    let all = actions(.own, old)
    #expect(all.count { $0 == .readLater } == 13)
    #expect(all.last == .enter)
    #expect(all.contains(.replace(old, settles: true)))
  }

  @Test func `commands beside a server start at once, and elsewhere only if it is gone`() {
    #expect(actions(.visit, nil) == [.read, .enter])
    #expect(actions(.visit, OwnerRecord(name: "old", place: "here", beat: 1)) == [.read, .enter])
    let elsewhere = actions(.visit, OwnerRecord(name: "old", place: "there", beat: 1))
    #expect(elsewhere.count { $0 == .readLater } == 10)
    #expect(elsewhere.last == .enter)
    var claim = DirectoryClaim(.visit, name: "new", place: "here")
    #expect(claim.handle(.read(OwnerRecord(name: "old", place: "there", beat: 1))) == [.readLater])
    let alive = OwnerRecord(name: "old", place: "there", beat: 2)
    #expect(claim.handle(.read(alive)) == [.refuse(alive)])
  }
}

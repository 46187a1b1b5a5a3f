import TernEvents

/// The age of a segment's records: enough to decide whether it must be read again to expire some of them.
struct SegmentAge {
  let name: SegmentName
  let bootID: UniqueID
  /// The lowest uptime and the lowest wall time of its waiting records.
  var leastUptime = UInt64.max
  var leastTime = Timestamp(millisecondsSince1970: .max)
  /// The moment of the record with the highest uptime.
  var latest: AgeClock.Moment?

  init(_ name: SegmentName, _ header: SegmentHeader) {
    self.name = name
    bootID = header.bootID
  }

  mutating func add(_ record: RecordHeader) {
    leastUptime = min(leastUptime, record.uptimeMilliseconds)
    leastTime = min(leastTime, record.time)
    let uptime = Int64(clamping: record.uptimeMilliseconds)
    if uptime >= latest?.uptime ?? 0 { latest = AgeClock.Moment(wall: record.time, uptime: uptime) }
  }
}

/// Decides which records are expired at one moment.
struct ExpiryRule {
  let limit: Duration
  /// `nil` if this process does not know its boot and has only the wall clock.
  let clock: AgeClock?
  let wall: Timestamp

  func isExpired(uptime: UInt64, time: Timestamp, boot: UniqueID) -> Bool {
    if let age = clock?.age(of: uptime, boot: boot) { return age > limit }
    return wall.since(time) > limit
  }

  func isExpired(_ header: RecordHeader, _ boot: UniqueID) -> Bool {
    isExpired(uptime: header.uptimeMilliseconds, time: header.time, boot: boot)
  }
}

extension LogState {
  private var isBootKnown: Bool { configuration.bootID != UniqueID(high: 0, low: 0) }

  /// Updates the age clock and returns the rule for this moment.
  mutating func expiryRule(_ wall: Timestamp, _ uptime: Duration) -> ExpiryRule {
    if isBootKnown {
      ageClock.observe(
        AgeClock.Moment(wall: wall, uptime: uptime), boot: configuration.bootID, limit: configuration.maximumAge)
    }
    return ExpiryRule(limit: configuration.maximumAge, clock: isBootKnown ? ageClock : nil, wall: wall)
  }

  /// Drops the expired records of segments that were just read.
  mutating func expire(_ found: [SegmentAge]) {
    let unknown = UniqueID(high: 0, low: 0)
    if isBootKnown {
      for age in found { if let latest = age.latest { ageClock.extend(age.bootID, to: latest) } }
    }
    let rule = expiryRule(clock.wallTime, clock.uptime)
    if isBootKnown {
      var latest: [UniqueID: AgeClock.Moment] = [:]
      for age in found where age.bootID != unknown {
        guard let moment = age.latest, moment.uptime >= latest[age.bootID]?.uptime ?? 0 else { continue }
        latest[age.bootID] = moment
      }
      for (boot, moment) in latest { ageClock.place(boot, latest: moment, limit: configuration.maximumAge) }
    }
    let now = ExpiryRule(limit: rule.limit, clock: rule.clock == nil ? nil : ageClock, wall: rule.wall)
    for age in found
    where age.latest != nil && now.isExpired(uptime: age.leastUptime, time: age.leastTime, boot: age.bootID) {
      expire(age.name, now)
    }
  }

  /// Drops the expired records of one segment.
  private mutating func expire(_ name: SegmentName, _ rule: ExpiryRule) {
    let lane = Int(name.lane.rawValue)
    guard let index = lanes[lane].segments.index(of: name.number) else { return }
    let segment = lanes[lane].segments[index]
    // Expired records of a read-only file are dropped too, again at each launch.
    let file = (try? fileSystem.open(path(name), .update)) ?? (try? fileSystem.open(path(name), .read))
    guard let file else { return }
    defer { fileSystem.close(file) }
    let buffer = scratch.reserve(segment.end)
    defer { scratch.trim(to: 16 << 10) }
    guard let count = try? fileSystem.read(into: buffer, from: file, at: 0) else { return }
    let reader = SegmentReader(
      bytes: UnsafeRawBufferPointer(rebasing: buffer[..<count]), base: 0, salt: segment.header.salt)
    let runs = segment.waitingRuns(reader) { rule.isExpired($0, segment.header.bootID) }
    for run in runs.joined(owner: Run.gone) {
      ledger.add(.expired, run.records)
      let merged = lanes[lane].modify(index) { $0.insert(run) }
      PendingTombstone(name: name, header: segment.header, path: path(name), run: merged).write(to: file, fileSystem)
    }
    if lanes[lane].segments[index].isSettled, !settled.contains(name) {
      if index == lanes[lane].segments.lastIndex { seal(lane) } else { settled.append(name) }
    }
  }

  /// Loads the age clock that an earlier process saved.
  mutating func loadAgeClock() {
    guard isBootKnown, ageClock.boots.isEmpty, let home,
      let file = try? fileSystem.open(home.path(AgeClock.fileName), .read)
    else { return }
    defer { fileSystem.close(file) }
    guard let size = try? fileSystem.status(file).size, size <= AgeClock.maximumFileBytes else { return }
    let buffer = scratch.reserve(size)
    defer { scratch.trim(to: 16 << 10) }
    guard let count = try? fileSystem.read(into: buffer, from: file, at: 0),
      let stored = AgeClock(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    else { return }
    ageClock = stored
    savedAgeClock = stored
    ageClockBytes = size
  }

  /// Saves the age clock if something waits, and the boot is new or the last save was an hour ago.
  mutating func saveAgeClock() {
    guard isBootKnown, let home, waiting + claimed > 0 else { return }
    ageClock.keep(Set(lanes.flatMap { lane in lane.segments.indices.map { lane.segments[$0].header.bootID } }))
    if let saved = savedAgeClock, saved.boots == ageClock.boots,
      ageClock.latest.uptime - saved.latest.uptime < 3_600_000
    {
      return
    }
    let bytes = ageClock.encoded()
    guard replace(home.path(AgeClock.fileName), with: bytes) else { return }
    savedAgeClock = ageClock
    ageClockBytes = bytes.count
  }
}

import TernEvents

/// The age of a segment's newest record: when that is expired, all are.
struct SegmentAge {
  let name: SegmentName
  let bootID: UniqueID
  /// The highest uptime and the highest wall time of its records.
  private(set) var latest: AgeClock.Moment?
  private(set) var latestTime = Timestamp(millisecondsSince1970: .min)

  init(_ name: SegmentName, _ header: SegmentHeader) {
    self.name = name
    bootID = header.bootID
  }

  mutating func add(_ record: RecordHeader) {
    latestTime = max(latestTime, record.time)
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
  var isBootKnown: Bool { configuration.bootID != UniqueID(high: 0, low: 0) }

  /// Updates the age clock and returns the rule for this moment.
  mutating func expiryRule(_ wall: Timestamp, _ uptime: Duration) -> ExpiryRule {
    if isBootKnown {
      ageClock.observe(
        AgeClock.Moment(wall: wall, uptime: uptime), boot: configuration.bootID, limit: configuration.maximumAge)
    }
    return ExpiryRule(limit: configuration.maximumAge, clock: isBootKnown ? ageClock : nil, wall: wall)
  }

  /// Drops segments that were just read and have only expired records; single ones go when they are claimed.
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
    for age in found {
      guard let latest = age.latest, let (lane, index) = place(of: age.name),
        now.isExpired(uptime: UInt64(latest.uptime), time: age.latestTime, boot: age.bootID)
      else { continue }
      ledger.add(.expired, lanes[lane].segments[index].records)
      removeFile(lane, index)
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
    guard FileReplacement(path: home.path(AgeClock.fileName), bytes: bytes).write(fileSystem) else { return }
    savedAgeClock = ageClock
    ageClockBytes = bytes.count
  }
}

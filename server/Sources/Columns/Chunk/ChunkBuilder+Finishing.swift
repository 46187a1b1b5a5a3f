import ServerBase

extension ChunkBuilder {
  /// Returns a chunk of all rows so far; the builder can go on.
  ///
  /// - Parameter through: A row up to which the app has no others; `nil` for the last row.
  package func finished(through row: Int64? = nil) -> Chunk {
    var header = header
    if let row { header.last = max(header.last, row) }
    header.rows = rows
    header.senders = senderTable.count
    header.devices = deviceTexts.count / ChunkDevice.factCount
    header.labels = labelTable.count
    header.texts = texts.count
    header.textBytes = (0..<texts.count).reduce(0) { $0 + texts.string($1).count }
    header.properties = properties.count
    let layout = ChunkLayout(header)
    header.byteCount = properties.reduce(layout.end) { $0 + bytes(of: $1) }
    let memory = ChunkMemory(count: header.byteCount)
    writeRows(header, layout, memory.start)
    writeTables(layout, memory.start)
    writeProperties(layout, memory.start)
    let size = MemoryLayout<ChunkHeader>.size
    header.bodyCheck = ChunkHeader.checksum(UnsafeRawBufferPointer(rebasing: memory.bytes[size...]))
    header.check = header.expectedCheck
    memory.start.storeBytes(of: header, as: ChunkHeader.self)
    return Chunk(valid: memory)
  }

  private func writeRows(_ header: ChunkHeader, _ layout: ChunkLayout, _ start: UnsafeMutableRawPointer) {
    if header.hasShortIDs {
      let short = (start + layout.ids).assumingMemoryBound(to: UInt32.self)
      for (row, id) in ids.elements.enumerated() { short[row] = UInt32(id - header.after) }
    } else {
      copy(ids.elements, to: start + layout.ids)
    }
    if header.hasShortTimes {
      let short = (start + layout.times).assumingMemoryBound(to: UInt32.self)
      for (row, time) in times.elements.enumerated() { short[row] = UInt32(time - header.earliest) }
    } else {
      copy(times.elements, to: start + layout.times)
    }
    if header.hasMoments != 0 { copy(moments.elements, to: start + layout.moments) }
    copy(senders.elements, to: start + layout.senders)
    copy(labels.elements, to: start + layout.labels)
  }

  private func writeTables(_ layout: ChunkLayout, _ start: UnsafeMutableRawPointer) {
    let slots = (start + layout.senderSlots).assumingMemoryBound(to: UInt32.self)
    let users = (start + layout.senderUsers).assumingMemoryBound(to: UInt32.self)
    let sessions = (start + layout.senderSessions).assumingMemoryBound(to: Int64.self)
    let devices = (start + layout.senderDevices).assumingMemoryBound(to: UInt16.self)
    for sender in 0..<senderTable.count {
      let pair = senderTable.pair(sender)
      let visit = visits.pair(Int(pair.first))
      slots[sender] = UInt32(visit.first >> 32)
      users[sender] = UInt32(truncatingIfNeeded: visit.first)
      sessions[sender] = Int64(bitPattern: visit.second)
      devices[sender] = UInt16(pair.second)
    }
    writeBounds(layout, start)
    copy(deviceTexts.elements, to: start + layout.deviceTexts)
    let kinds = (start + layout.labelKinds).assumingMemoryBound(to: UInt8.self)
    let names = (start + layout.labelNames).assumingMemoryBound(to: UInt32.self)
    for label in 0..<labelTable.count {
      kinds[label] = UInt8(labelTable.pair(label).first)
      names[label] = UInt32(labelTable.pair(label).second)
    }
    let ends = (start + layout.textEnds).assumingMemoryBound(to: UInt32.self)
    var end = 0
    for number in 0..<texts.count {
      let text = texts.string(number)
      if let bytes = text.baseAddress {
        (start + layout.textBytes + end).copyMemory(from: bytes, byteCount: text.count)
      }
      end += text.count
      ends[number] = UInt32(end)
    }
  }

  /// Writes the first and the last row of each sender. Questions about persons need no others if all rows pass.
  private func writeBounds(_ layout: ChunkLayout, _ start: UnsafeMutableRawPointer) {
    let firsts = (start + layout.senderFirsts).assumingMemoryBound(to: UInt16.self)
    let lasts = (start + layout.senderLasts).assumingMemoryBound(to: UInt16.self)
    let known = Memory<Bool>(count: senderTable.count, zero: false)
    for row in 0..<rows {
      let sender = Int(senders.elements[row])
      let time = times.elements[row]
      if !known[sender] || time < times.elements[Int(firsts[sender])] { firsts[sender] = UInt16(row) }
      if !known[sender] || time >= times.elements[Int(lasts[sender])] { lasts[sender] = UInt16(row) }
      known[sender] = true
    }
  }

  private func bytes(of property: Property) -> Int {
    func padded(_ size: Int) -> Int { (size + 7) & ~7 }
    let count = property.rows.count
    return property.numbers.count * 8 + padded(property.texts.count * 4) + padded(count * 2)
      + (count == rows ? 0 : padded(count * 2))
  }

  private func writeProperties(_ layout: ChunkLayout, _ start: UnsafeMutableRawPointer) {
    let directory = (start + layout.properties).assumingMemoryBound(to: ChunkLayout.PropertyEntry.self)
    var place = layout.end
    for (index, property) in properties.enumerated() {
      directory[index] = ChunkLayout.PropertyEntry(
        name: property.name, rows: UInt32(property.rows.count), numbers: UInt32(property.numbers.count),
        texts: UInt32(property.texts.count), start: UInt64(place))
      let column = PropertyColumn(directory[index], UnsafeRawPointer(start), rows: rows)
      copy(property.numbers.elements, to: UnsafeMutableRawPointer(mutating: column.numbers))
      copy(property.texts.elements, to: UnsafeMutableRawPointer(mutating: column.texts))
      let indexes = UnsafeMutablePointer(mutating: column.indexes)
      for (position, value) in property.values.elements.enumerated() {
        indexes[position] = UInt16(value >= 0 ? Int(value) : column.numberCount + Int(~value))
      }
      if let rows = column.rows { copy(property.rows.elements, to: UnsafeMutableRawPointer(mutating: rows)) }
      place += bytes(of: property)
    }
  }

  private func copy<Element>(_ elements: UnsafeMutableBufferPointer<Element>, to place: UnsafeMutableRawPointer) {
    guard let first = elements.baseAddress, !elements.isEmpty else { return }
    place.copyMemory(from: first, byteCount: elements.count * MemoryLayout<Element>.stride)
  }
}

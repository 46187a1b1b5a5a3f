import Questions
import Warehouse

/// The persons of a question as numbers: installs come first, then users.
struct PersonNumbers {
  let count: Int
  private let key: PersonKey
  /// The number of the first person who is a user; lower numbers are installs.
  private let firstUser: UInt32
  /// The person as whom each one counts; `nil` if aliases join no one.
  private let joined: Memory<UInt32>?

  init(_ key: PersonKey, _ chunks: [Chunk], _ names: LoadedNames, _ limits: QuestionLimits) throws {
    self.key = key
    firstUser = chunks.reduce(0) { max($0, $1.installEnd) }
    let users = key == .user ? chunks.reduce(0) { max($0, $1.userEnd) } : 0
    count = Int(firstUser + users)
    joined = key == .user ? try Self.joined(chunks, names, installs: firstUser, users: users, limits) : nil
  }

  private static func joined(
    _ chunks: [Chunk], _ names: LoadedNames, installs: UInt32, users: UInt32, _ limits: QuestionLimits
  ) throws -> Memory<UInt32>? {
    var identifiers = JoinedIdentifiers()
    for chunk in chunks {
      try limits.check()
      try identifiers.join(chunk, user: names.user)
    }
    let persons = identifiers.persons
    guard !persons.isEmpty else { return nil }
    let table = Memory<UInt32>(count: Int(installs + users), zero: 0)
    for person in 0..<table.count { table[person] = UInt32(person) }
    for start in stride(from: 0, to: persons.count, by: 1_000) {
      try limits.check(table.count * 4)
      for numbers in try names.numbers(of: Array(persons[start..<min(start + 1_000, persons.count)])) {
        // Others have come after the chunks.
        let known = numbers.users.filter { $0 < users }
        // An alias has a user, who is in the chunks.
        guard let first = known.min() else { continue }
        for user in known { table[Int(installs + user)] = installs + first }
        for install in numbers.installs where install < installs { table[Int(install)] = installs + first }
      }
    }
    return table
  }

  /// The person of a sender.
  @inline(__always)
  func person(ofSender sender: Int, _ chunk: Chunk) -> UInt32 {
    let user = chunk.senderUsers[sender]
    let person = key == .user && user != 0 ? firstUser + user - 1 : chunk.senderSlots[sender]
    return joined.map { $0[Int(person)] } ?? person
  }

  /// The user as whom a sender counts: its own, else the first one that aliases join with its install; `nil` if there is none.
  func user(ofSender sender: Int, _ chunk: Chunk) -> UInt32? {
    if chunk.senderUsers[sender] != 0 { return chunk.senderUsers[sender] - 1 }
    let person = person(ofSender: sender, chunk)
    return person < firstUser ? nil : person - firstUser
  }
}

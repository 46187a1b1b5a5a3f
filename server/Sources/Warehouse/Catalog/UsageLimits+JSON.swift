package import JSON

extension UsageLimitChanges {
  /// The limits that a request sets; `null` restores the default.
  package static let jsonMembers: [JSONMember<UsageLimitChanges>] = members.map { member in
    .clearable(member.name, member.value, .integer(range))
  }

  /// The schema of all limits by name.
  package static var schema: Schema { .object(Schema.Members(members.map { ($0.name, .limited(range)) })) }

  /// All limits by name, with these changes.
  package var tree: JSONTree { .object(values.sorted { $0.key < $1.key }.map { ($0.key, .integer($0.value)) }) }
}

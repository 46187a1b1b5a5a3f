package import JSON
import TernEvents

extension Annotation {
  /// Its members, in the order of their names.
  package static let members: [JSONMember<Annotation>] = [
    .shown("author", .text) { .text($0.author) },
    .shown("created", .time) { .time($0.created) },
    .required("day", \.day, .day),
    .shown("id", .count) { .integer($0.id) },
    .required("text", \.text, .name),
  ]
}

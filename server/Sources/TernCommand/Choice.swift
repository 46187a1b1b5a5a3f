import ArgumentParser

/// Parses one of a few words. The error for any other text lists them.
func choice<Value: RawRepresentable<String> & CaseIterable>(_ text: String) throws -> Value {
  guard let value = Value(rawValue: text) else {
    throw ValidationError("Choose one of \(Value.allCases.map(\.rawValue).joined(separator: ", ")).")
  }
  return value
}

import CFuzzer
import Foundation

/// `tern-fuzz TARGET [ARGUMENTS of libFuzzer]` runs a target; `tern-fuzz corpus DIRECTORY` writes the inputs to start from;
/// `tern-fuzz targets` lists the targets.
@main enum Main {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    switch arguments.first {
    case "targets":
      for (name, _) in FuzzTarget.all { print(name) }
    case "corpus" where arguments.count == 2:
      try Corpus.write(to: arguments[arguments.startIndex + 1])
    case .some(let name):
      guard let (_, make) = FuzzTarget.all.first(where: { $0.key == name }) else { fail("There is no target \(name).") }
      run(make())
    case nil: fail("Give a target; `tern-fuzz targets` lists them.")
    }
  }

  private static func run(_ target: FuzzTarget) {
    current = target
    // libFuzzer ends the process itself after the time of a run.
    atexit { current?.finish() }
    // libFuzzer reads the arguments behind the program's name, which the target takes the place of here.
    var count = CommandLine.argc - 1
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 1
    // It has run single files.
    let status = LLVMFuzzerRunDriver(&count, &arguments) { bytes, size in
      current?.run(UnsafeRawBufferPointer(start: size == 0 ? nil : bytes, count: size))
      return 0
    }
    exit(status)
  }

  private static func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("\(message)\n".utf8))
    exit(64)
  }
}

extension FuzzTarget {
  fileprivate static var all: [(key: String, value: () -> FuzzTarget)] { Array(server) + Array(device) }

  /// Changes an input in one of the fuzzer's own ways, which have their own seed.
  static func changeBytes(_ bytes: UnsafeMutablePointer<UInt8>, _ size: Int, _ capacity: Int, _: UInt32) -> Int {
    LLVMFuzzerMutate(bytes, size, capacity)
  }
}

/// The target of this process. libFuzzer calls C functions, which capture nothing, on one thread.
nonisolated(unsafe) private var current: FuzzTarget?

/// Changes an input; libFuzzer finds this function by its name.
@c(LLVMFuzzerCustomMutator)
public func mutate(_ bytes: UnsafeMutablePointer<UInt8>, _ size: Int, _ capacity: Int, _ seed: UInt32) -> Int {
  guard let mutate = current?.mutate else { return LLVMFuzzerMutate(bytes, size, capacity) }
  return mutate(bytes, size, capacity, seed)
}

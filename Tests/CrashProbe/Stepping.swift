import Foundation
import Tern

/// Threads that make steps without a pause. Each text repeats one word, so that a mixture of two can be told.
enum Stepping {
  static func start(_ count: Int, _ tern: TernClient) {
    let started = DispatchSemaphore(value: 0)
    for thread in 0..<count {
      Thread.detachNewThread {
        for number in 0... {
          tern.step(String(repeating: "\(thread):\(100_000_000 + number) ", count: 8))
          if number == 1_000 { started.signal() }
        }
      }
    }
    for _ in 0..<count { started.wait() }
  }
}

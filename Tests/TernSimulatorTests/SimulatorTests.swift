import Testing
import TernSimulator

@Suite struct SimulatorTests {
}

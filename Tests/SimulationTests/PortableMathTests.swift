import Foundation
import PledgeFutures
import PledgeServices
import Testing

@testable import PledgeSimulation

@Suite struct PortableMathTests {
    @Test func theLogarithmIsThatOfTheSystem() {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<100_000 {
            let number = Double(
                sign: .plus, exponent: Int(generator.next() % 200) - 100,
                significand: 1 + generator.uniform())
            let (found, expected) = (PortableMath.log(number), Foundation.log(number))
            #expect(abs(found - expected) <= 1e-15 * max(abs(expected), 1), "\(number)")
        }
        #expect(PortableMath.log(1) == 0)
    }

    @Test func theExponentialIsThatOfTheSystem() {
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<100_000 {
            let number = (generator.uniform() - 0.5) * 1_400
            let (found, expected) = (PortableMath.exp(number), Foundation.exp(number))
            #expect(abs(found - expected) <= 4e-15 * expected, "\(number)")
        }
        #expect(PortableMath.exp(0) == 1)
        #expect(PortableMath.exp(-800) == 0)
        #expect(PortableMath.exp(800) == .infinity)
    }

    /// The bits, so that another machine, another build or another library of C is found out.
    @Test func theBitsAreThese() {
        var hash: UInt64 = 14_695_981_039_346_656_037
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<10_000 {
            let values = [
                PortableMath.log(generator.uniform()), PortableMath.exp(10 * generator.uniform()),
                generator.normal(),
            ]
            for value in values { hash = (hash ^ value.bitPattern) &* 1_099_511_628_211 }
        }
        #expect(hash == 8_127_410_622_560_526_185)
    }
}

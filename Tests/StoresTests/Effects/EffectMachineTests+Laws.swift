import TestSupport
import Testing

@testable import PledgeStores

extension EffectMachineTests {
    @Test(arguments: 0..<20) func everyScriptKeepsTheLaws(block: Int) {
        // Each script runs to its end, and takes several times as long as in the comparison with the model.
        let count = scriptCount() / 100
        var nested = 0
        for number in block * count..<(block + 1) * count {
            let seed = UInt64(number) + 1_000_000
            let script = EffectScript(seed: seed)
            var history = EffectHistory(seed: seed)
            for step in script.steps { history.play(step) }
            history.drain()
            if script.nestsSerialIDsInOrder {
                nested += 1
                history.requireThatNothingIsLeft()
            }
            let broken = history.brokenLaw ?? history.machine.brokenInvariant
            #expect(broken == nil, "seed \(seed): \(script.steps)")
            guard broken == nil else { return }
        }
        #expect(nested >= count / 10)
    }
}

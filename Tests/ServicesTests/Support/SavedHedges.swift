@testable import PledgeServices

extension Hedge {
    /// Takes all the hedges that a call finds saved.
    ///
    /// - Returns: How many there were.
    func takeSaved() -> Int {
        _ = deposit()
        var count = 0
        while withdraw() { count += 1 }
        return count
    }
}

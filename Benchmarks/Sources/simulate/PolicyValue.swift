/// The text after the equals sign of a policy.
struct PolicyValue {
    private let policy: String
    private let word: String

    init(of policy: String, _ word: String) {
        self.policy = policy
        self.word = word
    }

    /// Returns a number of 1 or more.
    func count() throws(CommandError) -> Int {
        guard let count = Int(word), (1...1_000_000).contains(count) else {
            throw wrong("a number from 1 to 1000000")
        }
        return count
    }

    /// Returns a share, from 0 to 1.
    func share() throws(CommandError) -> Double {
        guard let share = Double(word), (0...1).contains(share) else {
            throw wrong("a share from 0 to 1")
        }
        return share
    }

    /// Returns a duration above zero, written like "50ms" or "1.5s".
    func duration() throws(CommandError) -> Duration {
        let (digits, unit) =
            word.hasSuffix("ms") ? (word.dropLast(2), 0.001) : (word.dropLast(1), 1.0)
        guard word.hasSuffix("s"), let number = Double(digits), number > 0, number <= 1e6 else {
            throw wrong("a duration, as in 50ms or 1.5s")
        }
        return .seconds(number * unit)
    }

    /// Throws, because the policy takes no value.
    func refuse() throws(CommandError) {
        throw CommandError(wrongUse: "\(policy) takes no value, not \(Arguments.quoted(word))")
    }

    private func wrong(_ needed: String) -> CommandError {
        CommandError(wrongUse: "\(policy) needs \(needed), not \(Arguments.quoted(word))")
    }
}

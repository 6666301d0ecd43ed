import PledgeServices

extension SeededGenerator {
    /// A number strictly between 0 and 1.
    mutating func uniform() -> Double { (Double(next() >> 11) + 0.5) * 0x1p-53 }

    /// A number of the standard normal distribution.
    ///
    /// Marsaglia's polar method ("A convenient method for generating normal variables", 1964). It makes two numbers;
    /// one is used.
    mutating func normal() -> Double {
        while true {
            let (x, y) = (2 * uniform() - 1, 2 * uniform() - 1)
            let square = x * x + y * y
            if square < 1, square > 0 {
                return x * (-2 * PortableMath.log(square) / square).squareRoot()
            }
        }
    }

    /// A generator whose numbers have nothing to do with those of this one.
    ///
    /// - Parameter stream: The number of the generator; each gives another one.
    func split(_ stream: UInt64) -> SeededGenerator {
        var parent = self
        var child = SeededGenerator(seed: parent.next() ^ (stream &* 0xD134_2543_DE82_EF95))
        return SeededGenerator(seed: child.next())
    }
}

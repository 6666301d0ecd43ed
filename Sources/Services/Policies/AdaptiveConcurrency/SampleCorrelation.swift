/// How two quantities change with each other: Pearson's correlation of their last 50 values.
///
/// Adding takes as many steps as there are values.
struct SampleCorrelation: Sendable {
    private var pairs: [(x: Double, y: Double)] = []
    private var oldest = 0

    private static let most = 50
    private static let least = 10

    /// Adds two values.
    ///
    /// - Returns: The correlation, from −1 to 1; 0 while there are fewer than 10 pairs, or if one of the two varies by
    ///   less than 1 % of its mean.
    mutating func add(_ x: Double, _ y: Double) -> Double {
        if pairs.count < Self.most {
            pairs.append((x, y))
        } else {
            pairs[oldest] = (x, y)
            oldest = (oldest + 1) % Self.most
        }
        return pairs.count < Self.least ? 0 : correlation
    }

    private var correlation: Double {
        let count = Double(pairs.count)
        let meanX = pairs.reduce(0) { $0 + $1.x } / count
        let meanY = pairs.reduce(0) { $0 + $1.y } / count
        var (squaresX, squaresY, products) = (0.0, 0.0, 0.0)
        for (x, y) in pairs {
            squaresX += (x - meanX) * (x - meanX)
            squaresY += (y - meanY) * (y - meanY)
            products += (x - meanX) * (y - meanY)
        }
        let deviationX = (squaresX / count).squareRoot()
        let deviationY = (squaresY / count).squareRoot()
        guard deviationX >= 0.01 * abs(meanX), deviationY >= 0.01 * abs(meanY),
            deviationX > 0, deviationY > 0
        else { return 0 }
        return products / count / (deviationX * deviationY)
    }
}

/// A logarithm and an exponential function with the same bits on every machine.
///
/// They use only addition, multiplication and division, which IEEE 754 defines to the last bit. Systems' own functions
/// may differ in the last bit, and so would simulations.
enum PortableMath {
    private static let upperLogOfTwo = 0.693147180369123816490
    private static let lowerLogOfTwo = 1.90821492927058770002e-10

    /// The natural logarithm of a positive, finite and normal number.
    ///
    /// log(m·2ᵉ) = e·log 2 + 2·artanh((m − 1)/(m + 1)), with m from √½ to √2 and the series of artanh. The relative
    /// error is below 1e-15.
    static func log(_ number: Double) -> Double {
        var significand = number.significand
        var exponent = Double(number.exponent)
        if significand > 1.4142135623730951 {
            significand /= 2
            exponent += 1
        }
        let ratio = (significand - 1) / (significand + 1)
        let square = ratio * ratio
        var series = 1 / 23.0 * square
        series = (series + 1 / 21.0) * square
        series = (series + 1 / 19.0) * square
        series = (series + 1 / 17.0) * square
        series = (series + 1 / 15.0) * square
        series = (series + 1 / 13.0) * square
        series = (series + 1 / 11.0) * square
        series = (series + 1 / 9.0) * square
        series = (series + 1 / 7.0) * square
        series = (series + 1 / 5.0) * square
        series = (series + 1 / 3.0) * square
        let logOfSignificand = 2 * (ratio + ratio * series)
        return exponent * upperLogOfTwo + (logOfSignificand + exponent * lowerLogOfTwo)
    }

    /// The exponential function: 0 below −708, infinite above 709.
    ///
    /// exp(x) = 2ᵏ·exp(r), with r from −½·log 2 to ½·log 2 and the series of exp. The relative error is below 1e-15.
    static func exp(_ number: Double) -> Double {
        if number < -708 { return 0 }
        if number > 709 { return .infinity }
        let count = (number / 0.6931471805599453).rounded()
        let rest = number - count * upperLogOfTwo - count * lowerLogOfTwo
        var series = 1.0
        for divisor in stride(from: 15.0, through: 1, by: -1) {
            series = 1 + series * rest / divisor
        }
        return Double(sign: .plus, exponent: Int(count), significand: 1) * series
    }
}

extension Double {
    /// The same text on every system, with this many decimals.
    ///
    /// Halves round away from zero. "-" if the number is infinite or not a number.
    func text(digits: Int) -> String {
        guard isFinite else { return "-" }
        let power = (0..<digits).reduce(Int64(1)) { power, _ in power * 10 }
        let scaled = (magnitude * Double(power)).rounded()
        if scaled > 9e15 { return "\(self)" }
        let units = Int64(scaled)
        let sign = self < 0 && units > 0 ? "-" : ""
        if digits == 0 { return "\(sign)\(units)" }
        let rest = "\(units % power)"
        let zeros = String(repeating: "0", count: digits - rest.count)
        return "\(sign)\(units / power).\(zeros)\(rest)"
    }

    /// Like ``text(digits:)``, without zeros at the end of the decimals.
    package func shortText(digits: Int) -> String {
        var text = self.text(digits: digits)[...]
        guard text.contains("."), !text.contains("e") else { return String(text) }
        while text.last == "0" { text.removeLast() }
        if text.last == "." { text.removeLast() }
        return String(text)
    }

    /// In ms or s, mostly with three digits.
    var textOfSeconds: String {
        switch self {
        case ..<0.009995: "\((self * 1e3).text(digits: 2)) ms"
        case ..<0.09995: "\((self * 1e3).text(digits: 1)) ms"
        case ..<0.9995: "\((self * 1e3).text(digits: 0)) ms"
        case ..<9.995: "\(text(digits: 2)) s"
        case ..<99.95: "\(text(digits: 1)) s"
        default: "\(text(digits: 0)) s"
        }
    }
}

extension Int {
    /// With a comma between groups of three digits.
    var grouped: String {
        var text = "\(magnitude)"
        var index = text.endIndex
        while let before = text.index(index, offsetBy: -3, limitedBy: text.startIndex),
            before > text.startIndex
        {
            text.insert(",", at: before)
            index = before
        }
        return (self < 0 ? "-" : "") + text
    }
}

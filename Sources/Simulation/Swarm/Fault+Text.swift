import PledgeServices

extension Fault: CustomStringConvertible {
    /// When and what, such as "30 s to 60 s: host 3 takes 10 times as long".
    public var description: String {
        let times = "\(time.inSeconds)\(end.map { " to \($0.inSeconds)" } ?? "")"
        return "\(times): \(text)"
    }

    /// What happens, without the times.
    var text: String {
        let numbers = hosts.map { "\($0)" }.joined(separator: ", ")
        let host = "\(hosts.count == 1 ? "host" : "hosts") \(numbers)"
        return switch kind {
        case .slow(let factor): "\(host) takes \(factor.plainText) times as long"
        case .pause: "\(host) is paused"
        case .stop: "\(host) is down"
        case .failures(let rate): "\(host) fails \((rate * 100).plainText) % of its calls"
        case .loss(let rate): "\(host) loses \((rate * 100).plainText) % of its messages"
        case .partition: "\(host) cannot be reached from outside"
        case .change(let text, _): text
        }
    }
}

extension Duration {
    /// The duration in seconds, exact to the nanosecond, such as "3.25 s".
    var inSeconds: String { "\(decimal(in: .second)) s" }
}

extension Double {
    /// The number with at most two digits after the point, and no zeros at the end.
    var plainText: String {
        let hundredths = Int64((Swift.min(magnitude, 1e15) * 100).rounded())
        let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
        let sign = self < 0 && hundredths > 0 ? "-" : ""
        if rest == 0 { return "\(sign)\(whole)" }
        return
            "\(sign)\(whole).\(rest % 10 == 0 ? "\(rest / 10)" : rest < 10 ? "0\(rest)" : "\(rest)")"
    }
}

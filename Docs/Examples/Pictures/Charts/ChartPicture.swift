import Foundation
import PledgeSimulation

/// Draws how many times as long other ways take as the first way of a case.
///
/// Each bar begins at the line of the first way: to the right is slower, to the left faster, and the scale is
/// logarithmic.
struct ChartPicture {
    private static let bar = 16.0
    private static let left = 300.0
    private static let right = 780.0
    /// What the scale shows is a power of two up to this, and down to its inverse.
    private static let last = 7.0

    private var picture: Picture
    private var y = 26.0

    init(_ picture: Picture) { self.picture = picture }

    /// The whole picture.
    func drawn(_ cases: [BenchmarkTable.Case]) -> Picture {
        var drawing = self
        drawing.drawScale(height: cases.map(Self.height).reduce(0, +))
        for subject in cases { drawing.draw(subject) }
        drawing.drawLegend()
        return drawing.picture
    }

    private static func height(of subject: BenchmarkTable.Case) -> Double {
        24 + bar * Double(subject.others.count)
    }

    private static func x(of factor: Double) -> Double {
        let place = min(max(log2(factor), -last), last)
        return left + (right - left) * (place + last) / (2 * last)
    }

    private mutating func drawScale(height: Double) {
        for power in stride(from: -6, through: 6, by: 2) {
            let x = Self.x(of: exp2(Double(power)))
            let name = power < 0 ? "1/\(1 << -power)" : "\(1 << power)×"
            picture.add(.text(name, at: PicturePoint(x: x, y: 16), .small, .middle))
            picture.add(
                .lines(
                    [PicturePoint(x: x, y: 22), PicturePoint(x: x, y: 30 + height)],
                    power == 0 ? .line : .grid))
        }
    }

    private mutating func draw(_ subject: BenchmarkTable.Case) {
        picture.add(.text(subject.name, at: PicturePoint(x: Picture.margin, y: y + 16), .strong))
        let time = "\(subject.base): \(subject.time)"
        let end = Picture.widest - Picture.margin
        picture.add(.text(time, at: PicturePoint(x: end, y: y + 16), .small, .end))
        y += 20
        for (way, factor) in subject.others {
            let (one, end) = (Self.x(of: 1), Self.x(of: factor))
            picture.add(
                .text(way, at: PicturePoint(x: Picture.margin + 14, y: y + 12), .small))
            picture.add(
                .rect(
                    PictureBox(
                        x: min(one, end), y: y + 3, width: max(abs(end - one), 1), height: 10),
                    factor < 1 ? .failed : .success, radius: 0))
            picture.add(
                .text(
                    Self.text(of: factor), at: PicturePoint(x: Self.right + 12, y: y + 12), .small))
            y += Self.bar
        }
        y += 4
    }

    private mutating func drawLegend() {
        y += 6
        let meanings: [(PictureStyle, String)] = [
            (.failed, "faster than the way on the right"), (.success, "slower"),
        ]
        var x = Picture.margin
        for (style, meaning) in meanings {
            picture.add(.rect(PictureBox(x: x, y: y + 4, width: 24, height: 10), style, radius: 0))
            picture.add(.text(meaning, at: PicturePoint(x: x + 30, y: y + 13), .small))
            x += 50 + PictureTextStyle.small.width(of: meaning)
        }
        picture.add(
            .text(
                "A bar ends where the scale does; its number is right.",
                at: PicturePoint(x: x, y: y + 13), .small))
    }

    /// A factor with two or three digits.
    static func text(of factor: Double) -> String {
        switch factor {
        case 99.5...:
            let unit = pow(10, log10(factor).rounded(.down) - 1).rounded()
            let rounded = Int((factor / unit).rounded() * unit)
            return "\(rounded.formatted(.number.locale(Locale(identifier: "en_US"))))×"
        case 9.95...: return "\(Int(factor.rounded()))×"
        case 1.0...: return "\(factor.pixels)×"
        case 0.095...:
            let hundredths = Int((factor * 100).rounded())
            return "0.\(hundredths < 10 ? "0" : "")\(hundredths)×"
        default: return "1/\(Int((1 / factor).rounded()))"
        }
    }
}

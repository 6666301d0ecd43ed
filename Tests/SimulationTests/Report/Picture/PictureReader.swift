import Foundation

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Reads a picture as XML, with Foundation's parser.
final class PictureReader: NSObject, XMLParserDelegate {
    /// A text and the place that it takes: about the widths of DejaVu Sans, the widest of the usual fonts.
    struct Text: Hashable {
        let text: String
        let look: String
        let left: Double
        let right: Double
        let top: Double
        let bottom: Double

        func overlaps(_ other: Text) -> Bool {
            left < other.right && other.left < right && top < other.bottom && other.top < bottom
        }
    }

    /// Whether it is well-formed.
    private(set) var isWellFormed = false
    private(set) var texts: [Text] = []
    private(set) var height = 0.0
    private(set) var title = ""
    private(set) var explanation = ""
    /// The classes of all shapes.
    private(set) var looks: [String] = []
    /// The lowest edge of a rectangle but the page.
    private(set) var lowest = 0.0

    private var attributes: [String: String] = [:]
    private var content = ""

    init(_ svg: String) {
        super.init()
        let parser = XMLParser(data: Data(svg.utf8))
        parser.delegate = self
        isWellFormed = parser.parse()
    }

    /// The texts that stand outside the picture, or over another.
    var problems: [String] {
        var problems = texts.filter {
            $0.left < 0 || $0.right > 900 || $0.top < 0 || $0.bottom > height
        }.map { "'\($0.text)' is outside" }
        for (index, first) in texts.enumerated() {
            for second in texts[(index + 1)...] where first.overlaps(second) {
                problems.append("'\(second.text)' lies over '\(first.text)'")
            }
        }
        if lowest > height { problems.append("a shape is outside") }
        if height > 600 { problems.append("it is \(height) pixels high") }
        return problems
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
        qualifiedName: String?, attributes: [String: String]
    ) {
        self.attributes = attributes
        content = ""
        if name == "svg" { height = Double(attributes["height"] ?? "") ?? .infinity }
        guard name == "path" || name == "rect", let look = attributes["class"] else { return }
        looks.append(look)
        if name == "rect", look != "page" {
            lowest = max(lowest, number("y") + number("height"))
        }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { content += string }

    func parser(
        _ parser: XMLParser, didEndElement name: String, namespaceURI: String?,
        qualifiedName: String?
    ) {
        switch name {
        case "title": title = content
        case "desc": explanation = content
        case "text": texts.append(text())
        default: break
        }
    }

    private func number(_ name: String) -> Double { Double(attributes[name] ?? "") ?? .nan }

    private func text() -> Text {
        let look = attributes["class"] ?? ""
        let size = look == "heading" ? 14.0 : look == "warning" ? 12 : 11
        let share = ["heading", "warning", "strong"].contains(look) ? 0.72 : 0.67
        let letters = content.unicodeScalars.reduce(0.0) { $0 + ($1.value < 0x1100 ? 1 : 2) }
        let width = letters * share * size
        let shares: [String: Double] = ["middle": 0.5, "end": 1]
        let shift = shares[attributes["text-anchor"] ?? ""] ?? 0
        let left = number("x") - width * shift
        let (top, bottom) = (number("y") - size * 0.8, number("y") + size * 0.2)
        return Text(
            text: content, look: look, left: left, right: left + width, top: top, bottom: bottom)
    }
}

import Foundation
import PledgeSimulation
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

/// What is checked of all pictures.
@Suite struct PictureTests {
    private func picture(_ shapes: PictureShape...) -> Picture {
        var picture = Picture("test", title: "A < B", description: "Both \"names\"")
        for shape in shapes { picture.add(shape) }
        return picture
    }

    @Test func readableOnesHaveNoProblems() {
        let first = PictureShape.text("first", at: PicturePoint(x: 8, y: 20))
        let second = PictureShape.text("second", at: PicturePoint(x: 8, y: 40))
        #expect(picture(first, second).problems() == [])
    }

    @Test func textsThatAreHidden() {
        let first = PictureShape.text("first", at: PicturePoint(x: 100, y: 20))
        let second = PictureShape.text("second", at: PicturePoint(x: 100, y: 25), .code, .middle)
        #expect(picture(first, second).problems() == ["'second' lies over 'first'"])
    }

    @Test func textsThatAreCutOff() {
        let name = PictureShape.text("a long name", at: PicturePoint(x: 60, y: 20), .plain, .end)
        #expect(picture(name).problems() == ["a long name lies outside"])
    }

    @Test func sizesThatAPageDoesNotShow() {
        let box = PictureBox(x: 8, y: 8, width: 100, height: 600)
        #expect(picture(.rect(box, .box)).problems() == ["it is 116 by 616 pixels"])
    }

    @Test func namesAreEscaped() throws {
        let svg = picture(.text("a & b", at: PicturePoint(x: 8, y: 20))).svg
        #expect(svg.contains("<title id=\"title\">A &lt; B</title>"))
        #expect(svg.contains(">a &amp; b</text>"))
        #expect(XMLParser(data: Data(svg.utf8)).parse())
    }

    @Test(arguments: [(0, "0"), (1.25, "1.3"), (-0.26, "-0.3"), (12, "12"), (0.04, "0")])
    func numbers(number: Double, text: String) {
        #expect(number.pixels == text)
    }

    @Test func everyFileIsMadeByATest() throws {
        let sources = try Repository.this.check().sources
        let names = try FileManager.default.contentsOfDirectory(atPath: Picture.folder.path)
        #expect(!names.isEmpty)
        for name in names.map({ $0.replacing(".svg", with: "") }) {
            let isMade = sources.contains { path, text in
                path.hasPrefix("Docs/Examples/Pictures/") && text.contains("\"\(name)\"")
            }
            #expect(isMade, "no test makes \(name).svg")
        }
    }
}

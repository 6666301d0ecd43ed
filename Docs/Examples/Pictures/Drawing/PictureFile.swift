import Foundation
import Testing

extension Picture {
    /// The folder of all pictures.
    static let folder = Repository.this.root.appendingPathComponent("Docs/Pictures")

    /// Whether pictures are written, and not compared.
    private static var isRecording: Bool {
        ProcessInfo.processInfo.environment["PLEDGE_RECORD"] == "1"
    }

    /// Expects that nothing in the picture is hidden, and that its file has the same bytes.
    ///
    /// With PLEDGE_RECORD=1 it writes the file instead.
    func check(sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(problems() == [], sourceLocation: sourceLocation)
        try Self.check(svg, named: name, sourceLocation: sourceLocation)
    }

    /// Expects that the file of a picture has the same bytes, or writes it.
    static func check(
        _ svg: String, named name: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let file = Self.folder.appendingPathComponent("\(name).svg")
        if Self.isRecording { try Data(svg.utf8).write(to: file) }
        let isSame = FileManager.default.contents(atPath: file.path) == Data(svg.utf8)
        #expect(
            isSame,
            """
            Docs/Pictures/\(name).svg differs from the run. If the change is meant, write the pictures with: \
            PLEDGE_RECORD=1 swift test --filter Pictures
            """, sourceLocation: sourceLocation)
    }
}

import Foundation
import Testing

@testable import simulate

/// Each named scenario is on a page of Docs/Simulations, with its command, its picture, and what it prints.
///
/// Where PLEDGE_SIMULATIONS asks for whole runs, the pages have to show the figures of a run, and the pictures its
/// bytes; with PLEDGE_RECORD=1 they are written instead.
@Suite(.serialized)
struct PublishedPageTests {
    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().appending(path: "../../../Docs/Simulations").standardized
    private let settings = ScenarioSettings.ofTests
    private let isRecording = ProcessInfo.processInfo.environment["PLEDGE_RECORD"] == "1"

    @Test(arguments: NamedScenario.all.map(\.name))
    func aPageShowsTheScenario(name: String) throws {
        var page = try #require(try page(of: name), "no page shows the command of \(name)")
        let file = Self.folder.appending(path: "Pictures/\(name).svg")
        #expect(page.text.contains("](Pictures/\(name).svg)"))
        if settings.isShort {
            #expect(FileManager.default.fileExists(atPath: file.path))
            #expect(page.output.contains(" "))
            return
        }
        let result = try NamedScenario.named(name).run(settings)
        if isRecording {
            try page.replaceOutput(by: result.text)
            try Data(result.picture().utf8).write(to: file)
        }
        #expect(page.output == result.text)
        #expect(try String(contentsOf: file, encoding: .utf8) == result.picture())
    }

    private func page(of scenario: String) throws -> PublishedPage? {
        try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
            .sorted()
            .filter { $0.hasSuffix(".md") }
            .compactMap { try PublishedPage(at: Self.folder.appending(path: $0), of: scenario) }
            .first
    }
}

/// A page that shows a scenario's command and, in the next block of text, what it prints.
private struct PublishedPage {
    private(set) var text: String
    private let file: URL
    private var place: Range<String.Index>

    /// Nil if the page does not show the command.
    init?(at file: URL, of scenario: String) throws {
        self.file = file
        text = try String(contentsOf: file, encoding: .utf8)
        guard let command = text.range(of: "\(Command.command) \(scenario)\n```"),
            let start = text[command.upperBound...].range(of: "```text\n"),
            let end = text[start.upperBound...].range(of: "```")
        else { return nil }
        place = start.upperBound..<end.lowerBound
    }

    var output: String { String(text[place]) }

    /// Writes the page with another output.
    mutating func replaceOutput(by output: String) throws {
        let (before, after) = (String(text[..<place.lowerBound]), text[place.upperBound...])
        text = before + output + after
        let start = text.index(text.startIndex, offsetBy: before.count)
        place = start..<text.index(start, offsetBy: output.count)
        try Data(text.utf8).write(to: file)
    }
}

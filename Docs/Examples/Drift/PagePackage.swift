/// The package that a reader has after one step of a tutorial.
///
/// A step is what stands below a heading `## …`. A Swift block whose info string says `to:PATH` is a file: the reader
/// writes it at PATH, in place of an older one, and a line above the block names PATH. A block `sh` that a block `text`
/// follows is a run: its commands print that text.
struct PagePackage: Equatable {
    /// Commands, and what they print.
    struct Run: Equatable {
        let commands: [String]
        let output: [String]
    }

    /// The step's heading.
    let heading: String
    /// The files of the package, those of earlier steps included, by path.
    var files: [String: [String]]
    /// What the step runs, in order.
    var runs: [Run] = []

    /// The package after each step of a page that writes a file or runs something.
    static func all(in page: String) -> [PagePackage] {
        var packages: [PagePackage] = []
        var files: [String: [String]] = [:]
        for step in steps(of: page) {
            var package = PagePackage(heading: step.heading, files: files)
            for (fence, next) in zip(step.fences, step.fences.dropFirst().map { $0 } + [nil]) {
                if let path = fence.destination { package.files[path] = fence.lines }
                if fence.language == "sh", let next, next.info == "text" {
                    package.runs.append(Run(commands: fence.lines, output: next.lines))
                }
            }
            if package.files != files || !package.runs.isEmpty { packages.append(package) }
            files = package.files
        }
        return packages
    }

    /// The message about a block that is a file, where no line just above it names that file.
    static func problem(of fence: Fence, in page: String) -> String? {
        guard let path = fence.destination else { return nil }
        let above = page.lines.prefix(fence.line - 1).last { !$0.trimmed.isEmpty } ?? ""
        return above.contains("`\(path)`")
            ? nil : "the line above the fence does not name the file: say `\(path)`"
    }

    private static func steps(of page: String) -> [(heading: String, fences: [Fence])] {
        let fences = Fence.all(in: page)
        let lines = page.lines.enumerated().filter { index, line in
            line.hasPrefix("## ") && !fences.contains { $0.holds(line: index + 1) }
        }
        let ends = lines.dropFirst().map { $0.offset + 1 } + [Int.max]
        return zip(lines, ends).map { heading, end in
            let own = fences.filter { $0.line > heading.offset && $0.line < end }
            return (String(heading.element.dropFirst(3)), own)
        }
    }
}

extension Fence {
    /// Where a reader of a tutorial writes the block: PATH of an info string `swift to:PATH`.
    var destination: String? {
        guard language == "swift", let source, source.hasPrefix("to:") else { return nil }
        return String(source.dropFirst("to:".count))
    }

    /// Whether a line of the page stands between the block's fences.
    fileprivate func holds(line number: Int) -> Bool {
        number > line && number <= line + lines.count
    }
}

/// A drawing of one run, or of several runs over one another: panels over time, as SVG.
///
/// ```swift
/// let picture = SimulationPicture(
///     title: "A slow host", runs: [("no timeout", first), ("with a timeout", second)])
/// try Data(picture.svg.utf8).write(to: file)
/// ```
///
/// The panels show calls a second (offered, and those that succeeded), amplification, latencies on a logarithmic
/// scale, what policies did, the states of breakers, and gauges. Each change of the time line is a vertical line
/// with its name. The picture is 900 pixels wide and at most 600 high, has colours for light and dark pages, and
/// tells lines apart by their dashes as well. It has the same bytes for the same seeds, on every machine.
///
/// A name that is wider than the picture is in its description only. A picture of a run whose work has left the
/// simulation says so.
public struct SimulationPicture: Sendable {
    /// What stands above the panels.
    public let title: String

    /// The runs and their names.
    public let runs: [(name: String, run: SimulationRun)]

    /// Makes a picture.
    ///
    /// - Parameters:
    ///   - title: What stands above the panels.
    ///   - runs: One to six runs with their names; another number traps. The name of a single run is not drawn. The
    ///     changes are those of the first run.
    public init(title: String, runs: [(name: String, run: SimulationRun)]) {
        precondition(
            (1...6).contains(runs.count), "a picture has one to six runs, not \(runs.count)")
        self.title = title
        self.runs = runs
    }

    /// The picture.
    public var svg: String {
        let panels = runs.count == 1 ? PanelPlan(of: runs[0].run) : PanelPlan(comparing: runs)
        var layout = PictureLayout(
            title: title, duration: runs.map(\.run.duration).max() ?? 0)
        layout.drawHead(
            warning: warning,
            legend: runs.count == 1 ? [] : runs.map(\.name), changes: runs[0].run.changes)
        layout.draw(panels)
        return layout.svg
    }

    private var warning: String? {
        if runs.count == 1 { return runs[0].run.warning }
        let names = runs.filter { $0.run.warning != nil }.map(\.name)
        if names.isEmpty { return nil }
        return "INVALID: work has left the simulation, so these runs say nothing: "
            + "\(names.joined(separator: ", "))."
    }
}

extension SimulationRun {
    /// The run as a picture: ``SimulationPicture``.
    ///
    /// - Parameter title: What stands above the panels; nil means how many calls were made, and with which seed.
    /// - Returns: An SVG file.
    public func picture(title: String? = nil) -> String {
        let usual =
            "\(callCount.grouped) calls in \(duration.shortText(digits: 3)) s, seed \(seed)"
        return SimulationPicture(title: title ?? usual, runs: [("", self)]).svg
    }
}

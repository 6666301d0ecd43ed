/// The results as a picture: for each case, how much slower or faster the other ways are.
///
/// One group of bars a case, all from one line, which is Pledge's time: a bar to the right is
/// slower, one to the left faster, on a logarithmic scale.
struct Chart {
    private let outcomes: [Outcome]
    private let machine: Machine
    private let scale: Scale

    private let top = 84.0
    private let bar = 13.0
    private let gap = 12.0
    private let left = 236.0

    init(_ outcomes: [Outcome], on machine: Machine) {
        self.outcomes = outcomes
        self.machine = machine
        let factors = outcomes.flatMap { outcome in
            outcome.samples.dropFirst().map { 1 / outcome.samples[0].ratio(to: $0) }
        }
        scale = Scale(of: factors, from: left, to: 790)
    }

    /// The picture as SVG.
    ///
    /// It adapts to a reader's choice of light or dark.
    func text() -> String {
        var lines: [String] = []
        var y = top
        for outcome in outcomes {
            lines += group(outcome, at: y)
            y += height(of: outcome) + gap
        }
        let height = y + 30
        return ([head(height: height)] + axis(to: y) + lines + [foot(at: y + 14), "</svg>", ""])
            .joined(separator: "\n")
    }

    /// No less than the two lines of words need.
    private func height(of outcome: Outcome) -> Double {
        bar * Double(max(2, outcome.samples.count - 1))
    }

    /// The name of a case, Pledge's time, and a bar for each other way.
    private func group(_ outcome: Outcome, at y: Double) -> [String] {
        let own = outcome.samples[0]
        let others = outcome.samples.dropFirst()
        let middle = y + height(of: outcome) / 2 - 1
        var lines = [
            Self.text(outcome.subject.name, x: left - 12, y: middle, "name"),
            Self.text(Self.time(own.median), x: left - 12, y: middle + 12, "time"),
        ]
        for (index, sample) in others.enumerated() {
            let factor = 1 / own.ratio(to: sample)
            let space = height(of: outcome) - bar * Double(others.count)
            lines += self.bar(sample.way, factor, at: y + bar * Double(index) + space / 2)
        }
        return lines
    }

    private func bar(_ way: String, _ factor: Double, at y: Double) -> [String] {
        let end = scale.x(factor)
        let (from, to) = (min(scale.x(1), end), max(scale.x(1), end))
        // What is faster has its words on the free side of the line.
        let words = max(scale.x(1), end) + 5
        let width = max(to - from, 1)
        return [
            """
            <rect class="\(Self.style(of: way))" x="\(Self.number(from))" y="\(Self.number(y + 1))" \
            width="\(Self.number(width))" height="\(Self.number(bar - 2))"/>
            """,
            Self.text("\(way) \(Self.factor(factor))", x: words, y: y + bar - 3, "bar"),
        ]
    }

    private func axis(to bottom: Double) -> [String] {
        scale.marks.flatMap { mark in
            let x = Self.number(scale.x(mark))
            return [
                """
                <line class="\(mark == 1 ? "pledge" : "mark")" x1="\(x)" x2="\(x)" \
                y1="\(Self.number(top - 8))" y2="\(Self.number(bottom - 4))"/>
                """,
                Self.text(
                    mark == 1 ? "Pledge" : Self.mark(mark), x: scale.x(mark), y: top - 14,
                    mark == 1 ? "pledge-name" : "mark-name"),
            ]
        }
    }

    private func head(height: Double) -> String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 \(Self.number(height))" \
        font-family="system-ui, Helvetica, Arial, sans-serif">
        \(Self.stylesheet)
        <rect class="page" width="960" height="\(Self.number(height))"/>
        \(Self.text("Time per operation, relative to Pledge", x: 16, y: 26, "title"))
        \(Self.text(
            "To the right of the line: slower than Pledge. To the left: faster. "
                + "Colours: other libraries; grey: by hand, or the system's own. Below each case: "
                + "Pledge's time.",
            x: 16, y: 44, "note"))
        """
    }

    private func foot(at y: Double) -> String {
        Self.text(
            "\(machine.description). A bar ends where the scale does; its number is right.",
            x: 16, y: y, "note")
    }
}

import PledgeSimulation

/// Draws states as boxes, and transitions as arrows.
struct MachinePicture {
    /// How an arrow goes from one box to another.
    enum Route {
        /// A curve whose middle is so far to the right of the straight line, as one walks along it.
        case bent(by: Double)
        /// To the right, up or down at a place, and to the right again.
        case elbow(x: Double)
    }

    /// A state's place, and what is said about it.
    struct State {
        var middle: PicturePoint
        var note: String?
        /// How far to the right of its middle an arrow leaves it that ends where it begins.
        var loopShift = 0.0
    }

    private var picture: Picture
    private let states: [String: State]

    init(_ picture: Picture, states: [String: State]) {
        self.picture = picture
        self.states = states
    }

    /// The whole picture.
    ///
    /// - Parameter routes: By "FROM → TO"; without an entry an arrow is straight.
    func drawn(_ run: MachineRun, routes: [String: Route] = [:]) -> Picture {
        var drawing = self
        var pairs: [String] = []
        var causes: [String: [String]] = [:]
        for transition in run.transitions {
            let pair = "\(transition.from) → \(transition.to)"
            if causes[pair] == nil { pairs.append(pair) }
            causes[pair, default: []].append(transition.cause)
        }
        for pair in pairs {
            let ends = pair.split(separator: " → ").map(String.init)
            drawing.drawArrow(ends[0], ends[1], causes[pair] ?? [], routes[pair])
        }
        for name in states.keys.sorted() { drawing.drawState(name) }
        return drawing.picture
    }

    private func box(of name: String) -> PictureBox {
        let middle = states[name]?.middle ?? PicturePoint(x: 0, y: 0)
        let width = max(90, PictureTextStyle.heading.width(of: name) + 24)
        return PictureBox(x: middle.x - width / 2, y: middle.y - 18, width: width, height: 36)
    }

    private mutating func drawState(_ name: String) {
        let box = box(of: name)
        picture.add(.rect(box, .box, radius: 18))
        picture.add(
            .text(name, at: PicturePoint(x: box.middle.x, y: box.middle.y + 5), .heading, .middle))
        if let note = states[name]?.note {
            picture.add(
                .text(note, at: PicturePoint(x: box.right + 12, y: box.middle.y + 4), .note))
        }
    }

    private mutating func drawArrow(
        _ from: String, _ to: String, _ causes: [String], _ route: Route?
    ) {
        let (start, end) = (box(of: from), box(of: to))
        if from == to { return drawLoop(start, causes, shift: states[from]?.loopShift ?? 0) }
        switch route {
        case .elbow(let x):
            let (first, last) = (start.right, end.x)
            let corner = PicturePoint(x: x, y: end.middle.y)
            picture.add(
                .lines(
                    [
                        PicturePoint(x: first, y: start.middle.y),
                        PicturePoint(x: x, y: start.middle.y), corner,
                    ], .arrow))
            picture.addArrow(from: corner, to: PicturePoint(x: last, y: end.middle.y))
            drawLabel(causes, at: PicturePoint(x: (x + last) / 2, y: end.middle.y), .above)
        case .bent(let bend): drawCurve(start, end, bend, causes)
        case nil: drawCurve(start, end, 0, causes)
        }
    }

    private mutating func drawCurve(
        _ start: PictureBox, _ end: PictureBox, _ bend: Double, _ causes: [String]
    ) {
        let (a, b) = (start.middle, end.middle)
        let (x, y) = (b.x - a.x, b.y - a.y)
        let length = max(1, (x * x + y * y).squareRoot())
        let side = PicturePoint(x: -y / length * bend, y: x / length * bend)
        let pull = { (share: Double) in
            PicturePoint(
                x: a.x + x * share + side.x * 4 / 3, y: a.y + y * share + side.y * 4 / 3)
        }
        let pulls = (pull(0.25), pull(0.75))
        let from = start.edge(towards: bend == 0 ? b : pulls.0)
        let to = end.edge(towards: bend == 0 ? a : pulls.1)
        if bend == 0 {
            picture.addArrow(from: from, to: to)
        } else {
            picture.addArrow(from: from, pulls, to: to)
        }
        let middle = PicturePoint(x: (a.x + b.x) / 2 + side.x, y: (a.y + b.y) / 2 + side.y)
        let isFlat = abs(x) > 2 * abs(y)
        let (flat, steep): (Side, Side) = (
            side.y > 0 ? .below : .above, side.x < 0 ? .left : .right
        )
        drawLabel(causes, at: middle, isFlat ? flat : steep)
    }

    private mutating func drawLoop(_ box: PictureBox, _ causes: [String], shift: Double) {
        let middle = box.middle.x + shift
        picture.addArrow(
            from: PicturePoint(x: middle - 16, y: box.y),
            (
                PicturePoint(x: middle - 30, y: box.y - 36),
                PicturePoint(x: middle + 30, y: box.y - 36)
            ), to: PicturePoint(x: middle + 16, y: box.y))
        drawLabel(causes, at: PicturePoint(x: middle, y: box.y - 28), .above)
    }

    private enum Side { case above, below, left, right }

    private mutating func drawLabel(_ causes: [String], at point: PicturePoint, _ side: Side) {
        for (index, cause) in causes.enumerated() {
            let line = Double(index) * 15
            let last = Double(causes.count - 1) * 15
            let (x, y, anchor): (Double, Double, SVG.Anchor) =
                switch side {
                case .above: (point.x, point.y - 8 - last + line, .middle)
                case .below: (point.x, point.y + 18 + line, .middle)
                case .left: (point.x - 14, point.y + 4 - last / 2 + line, .end)
                case .right: (point.x + 14, point.y + 4 - last / 2 + line, .start)
                }
            picture.add(.text(cause, at: PicturePoint(x: x, y: y), .note, anchor))
        }
    }
}

extension PictureBox {
    /// Where the line from the middle to a point outside leaves the box.
    fileprivate func edge(towards point: PicturePoint) -> PicturePoint {
        let (x, y) = (point.x - middle.x, point.y - middle.y)
        let share = min(
            x == 0 ? .infinity : width / 2 / abs(x), y == 0 ? .infinity : height / 2 / abs(y))
        return PicturePoint(x: middle.x + x * share, y: middle.y + y * share)
    }
}

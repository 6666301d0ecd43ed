extension Chart {
    /// A line for each value of a default: a figure of a trial over what the trial varies.
    ///
    /// One seed is enough for a line.
    ///
    /// - Parameter point: The trial, where it stands, and which figure of its outcome is drawn.
    static func lines<Varied>(
        of values: [JudgedDefault.Value], over varied: [Varied], _ settings: ScenarioSettings,
        _ point: (Varied) -> (trial: Trial, x: Double, y: (TrialOutcome) -> Double)
    ) -> [Line] {
        var settings = settings
        settings.isShort = true
        return values.map { value in
            Line(
                name: value.name,
                points: varied.map { varied in
                    let (trial, x, y) = point(varied)
                    return (x, y(JudgedDefault.outcome(of: value, trial, settings)))
                })
        }
    }
}

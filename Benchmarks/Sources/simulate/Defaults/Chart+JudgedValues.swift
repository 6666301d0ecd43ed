extension Chart {
    /// Returns a line for each value of a default; a line shows a figure over the quantity that differs between trials.
    ///
    /// One seed is enough for a line.
    ///
    /// - Parameter point: Returns the trial, its x coordinate, and a function that gives the figure to draw.
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

/// How a shape or a text of a picture looks: the classes of its style sheet.
enum PictureLook: Equatable {
    /// What is offered.
    case neutral
    /// One of six lines, which differ by their dashes as well.
    case line(Int)
    /// A line of a scale.
    case grid
    /// The instant of a change.
    case change

    /// The name of the class.
    var name: String {
        switch self {
        case .neutral: "offered"
        case .line(let number): "line\(number + 1)"
        case .grid: "grid"
        case .change: "change"
        }
    }

    /// The style sheet, for light and dark pages.
    static let sheet = """
        <style>
        text{font:11px ui-sans-serif,system-ui,-apple-system,"Segoe UI","Noto Sans",Helvetica,Arial,sans-serif;fill:#59636e}
        .page{fill:#ffffff}
        .heading{font-size:14px;font-weight:600;fill:#1f2328}
        .strong{font-weight:600;fill:#1f2328}
        .warning{font-size:12px;font-weight:600;fill:#bc4c00}
        .named{fill:#8250df}
        path{fill:none;stroke-linecap:round;stroke-linejoin:round;stroke-width:1.6}
        .grid{stroke:#d1d9e0;stroke-width:1}
        .offered{stroke:#818b98;stroke-width:3;stroke-opacity:.6}
        .change{stroke:#8250df;stroke-width:1;stroke-dasharray:2 3}
        .line1{stroke:#0969da}
        .line2{stroke:#bc4c00;stroke-dasharray:6 3}
        .line3{stroke:#8250df;stroke-dasharray:1 4}
        .line4{stroke:#1a7f37;stroke-dasharray:9 3 2 3}
        .line5{stroke:#1f2328;stroke-dasharray:3 3}
        .line6{stroke:#bf3989;stroke-dasharray:12 4}
        .closed{fill:#818b98}
        .half-open{fill:#bf8700}
        .open{fill:#bc4c00}
        .other{fill:#59636e}
        @media (prefers-color-scheme:dark){
        text{fill:#9198a1}
        .page{fill:#0d1117}
        .heading,.strong{fill:#f0f6fc}
        .warning{fill:#f0883e}
        .named{fill:#ab7df8}
        .grid{stroke:#3d444d}
        .change{stroke:#ab7df8}
        .line1{stroke:#4493f8}
        .line2{stroke:#f0883e}
        .line3{stroke:#ab7df8}
        .line4{stroke:#3fb950}
        .line5{stroke:#f0f6fc}
        .line6{stroke:#db61a2}
        .closed,.other{fill:#656c76}
        .half-open{fill:#d29922}
        .open{fill:#f0883e}
        }
        </style>
        """
}

/// How a shape looks.
///
/// Each differs from the others by its fill or its edge, not by its colour alone.
enum PictureStyle: String, CustomStringConvertible {
    /// A line of a scale.
    case grid
    /// An edge around parts that belong together.
    case frame
    /// A box with a text in it.
    case box
    /// A line with a direction, and its head.
    case arrow, head
    /// An arrow that stands for something less usual.
    case dashed
    /// The ends of a call: full, striped, an edge with gaps, and dotted.
    case success, failed, ignored, unfinished
    /// The instant of an event.
    case mark
    /// A time line.
    case line

    var description: String { rawValue }

    /// The style sheet of all pictures, for light and dark pages.
    static let sheet = """
        <style>
        text{font:13px ui-sans-serif,system-ui,-apple-system,"Segoe UI","Noto Sans",Helvetica,Arial,sans-serif}
        .heading{font-size:14px;font-weight:600}
        .strong{font-weight:600}
        .small{font-size:11px}
        .code,.note{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;font-size:12px}
        .plain,.heading,.strong,.code{fill:#1f2328}
        .small,.note{fill:#59636e}
        .inverse{fill:#ffffff;font-size:12px;font-weight:600}
        .grid{fill:none;stroke:#d1d9e0}
        .frame{fill:none;stroke:#818b98;stroke-dasharray:2 3}
        .box{fill:#eff2f5;stroke:#818b98}
        .line,.arrow,.dashed{fill:none;stroke:#59636e;stroke-width:1.5}
        .dashed{stroke-dasharray:5 4}
        .head{fill:#59636e}
        .success{fill:#0969da;stroke:#0969da}
        .failed{fill:url(#stripes);stroke:#bc4c00;stroke-width:1.5}
        .ignored{fill:none;stroke:#59636e;stroke-width:1.5;stroke-dasharray:4 3}
        .unfinished{fill:url(#dots);stroke:#59636e}
        .mark{fill:#8250df}
        .stripe{stroke:#bc4c00;stroke-width:2}
        .dot{fill:#59636e}
        @media (prefers-color-scheme:dark){
        .plain,.heading,.strong,.code{fill:#f0f6fc}
        .small,.note{fill:#9198a1}
        .inverse{fill:#0d1117}
        .grid{stroke:#3d444d}
        .frame{stroke:#656c76}
        .box{fill:#212830;stroke:#656c76}
        .line,.arrow,.dashed,.ignored,.unfinished{stroke:#9198a1}
        .head,.dot{fill:#9198a1}
        .success{fill:#4493f8;stroke:#4493f8}
        .failed,.stripe{stroke:#f0883e}
        .mark{fill:#ab7df8}
        }
        </style>
        <defs>
        <pattern id="stripes" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">\
        <path class="stripe" d="M1,0 V6"/></pattern>
        <pattern id="dots" width="6" height="6" patternUnits="userSpaceOnUse">\
        <circle class="dot" cx="3" cy="3" r="1"/></pattern>
        </defs>
        """
}

/// How a text looks.
enum PictureTextStyle: String, CustomStringConvertible {
    case plain, heading, small
    /// The name of what stands beneath.
    case strong
    /// Names as they stand in code, and what is said about them.
    case code, note
    /// Within a full shape.
    case inverse

    var description: String { rawValue }

    /// The height of its letters, with what lies below the line.
    var size: Double {
        switch self {
        case .plain, .strong: 13
        case .heading: 14
        case .small: 11
        case .code, .note, .inverse: 12
        }
    }

    /// About the width of a text in DejaVu Sans, the widest of the usual fonts, or a little more.
    func width(of text: String) -> Double {
        let share =
            switch self {
            case .heading, .strong, .inverse: 0.72
            case .plain, .small: 0.67
            case .code, .note: 0.62
            }
        let signs = text.filter { "×→".contains($0) }.count
        return (Double(text.count) * share + Double(signs) * 0.2) * size
    }
}

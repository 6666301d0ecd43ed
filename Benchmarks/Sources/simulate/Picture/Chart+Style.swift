extension Chart {
    /// A style sheet whose lines differ by dashes as well as by colours.
    static let sheet = """
        <style>
        text{font:11px ui-sans-serif,system-ui,-apple-system,"Segoe UI","Noto Sans",Helvetica,Arial,sans-serif;fill:#59636e}
        .page{fill:#ffffff}
        .heading{font-size:14px;font-weight:600;fill:#1f2328}
        path{fill:none;stroke-linecap:round;stroke-linejoin:round;stroke-width:2}
        .grid{stroke:#d1d9e0;stroke-width:1}
        .line1{stroke:#0969da}
        .line2{stroke:#bc4c00;stroke-dasharray:6 4}
        .line3{stroke:#8250df;stroke-dasharray:1 5}
        .line4{stroke:#1a7f37;stroke-dasharray:9 4 2 4}
        .line5{stroke:#1f2328;stroke-dasharray:3 4}
        .line6{stroke:#bf3989;stroke-dasharray:12 5}
        @media (prefers-color-scheme:dark){
        text{fill:#9198a1}
        .page{fill:#0d1117}
        .heading{fill:#f0f6fc}
        .grid{stroke:#3d444d}
        .line1{stroke:#4493f8}
        .line2{stroke:#f0883e}
        .line3{stroke:#ab7df8}
        .line4{stroke:#3fb950}
        .line5{stroke:#f0f6fc}
        .line6{stroke:#db61a2}
        }
        </style>
        """
}

/// Recorded calls as one page of HTML: styles, script and data are inside, and nothing is loaded.
struct TracePage {
    /// The whole file.
    let html: String

    init(of calls: [RecordedCall]) {
        html = """
            \(Self.head)
            <style>
            \(TracePageStyle.css)
            </style>
            </head>
            \(Self.body)
            <script type="application/json" id="data">
            \(TracePageData(of: calls).json)
            </script>
            <script>
            \(TracePageScript.model)
            \(TracePageScript.time)
            \(TracePageScript.view)
            \(TracePageScript.control)
            \(TracePageScript.input)
            </script>
            </body>
            </html>

            """
    }

    /// The content security policy forbids the page to load or send anything, whatever its content.
    private static let head = """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
        style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
        <meta name="referrer" content="no-referrer">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Recorded calls</title>
        """

    private static let body = """
        <body>
        <header>
        <h1>Recorded calls</h1>
        <label for="search">Search</label>
        <input id="search" type="search" autocomplete="off" spellcheck="false"
          placeholder="name, outcome, key=value" aria-describedby="status">
        <p id="status" role="status"></p>
        </header>
        <noscript>This page draws its calls with JavaScript, which is off.</noscript>
        <div id="calls" class="list" role="listbox" tabindex="0" aria-label="Calls"><div></div></div>
        <main>
        <h2 id="name"></h2>
        <p id="summary"></p>
        <p id="dropped" role="note" hidden></p>
        <div id="zoom" role="group" aria-label="Time axis">
        <button type="button" id="in" title="Zoom in (+)" aria-label="Zoom in">+</button>
        <button type="button" id="out" title="Zoom out (-)" aria-label="Zoom out">−</button>
        <button type="button" id="earlier" title="Earlier (,)" aria-label="Earlier">‹</button>
        <button type="button" id="later" title="Later (.)" aria-label="Later">›</button>
        <button type="button" id="fit" title="The selected span (Enter)">Span</button>
        <button type="button" id="whole" title="The whole call (0)">Whole</button>
        <output id="range" aria-label="Shown time"></output>
        </div>
        <div id="axis" aria-hidden="true"><span class="label"></span><div class="scale"></div></div>
        <div id="rows" class="list" role="tree" tabindex="0" aria-label="Spans and events"><div></div></div>
        <details id="legend">
        <summary>Signs and keys</summary>
        <p><b class="success">✓</b> success <b class="retryable">↻</b> retryable
        <b class="failure">✕</b> failure <b class="ignorable">–</b> ignorable
        <b class="unfinished">…</b> unfinished <b class="event">◆</b> event</p>
        <p><kbd>/</kbd> search, then <kbd>Enter</kbd> the next find. In the rows: arrows choose, close and
        open; <kbd>+</kbd> <kbd>-</kbd> <kbd>0</kbd> zoom; <kbd>,</kbd> <kbd>.</kbd> earlier and later;
        <kbd>Enter</kbd> the span. The wheel zooms on the axis, and with Ctrl on the rows.</p>
        </details>
        </main>
        <aside id="details" aria-label="Details" tabindex="0"></aside>
        """
}

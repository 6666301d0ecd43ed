import PledgeFutures
import PledgeServices

/// Recorded calls as one HTML page that contains its styles, script and data, and loads nothing else.
struct TracePage {
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

    /// The head with a content security policy, which forbids the page to load or send anything.
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

/// Recorded calls as JSON that may stand in a script element of HTML.
///
/// Each call has its number, its name, its first and last instant, the number of events that weren't kept, and its
/// rows. The rows are the spans and their events, in the order and with the depth of the waterfall. Times are in
/// milliseconds, counted from the first instant of all calls.
struct TracePageData {
    let json: String

    init(of calls: [RecordedCall]) {
        let zero = calls.compactMap { $0.extent?.first }.min() ?? SchedulerInstant(offset: .zero)
        let calls = calls.map { Self.object(of: $0, since: zero) }
        json = "[\(calls.joined(separator: ","))\n]".escapedForScript
    }

    private static func object(of call: RecordedCall, since zero: SchedulerInstant) -> String {
        let extent = call.extent ?? (zero, zero)
        let rows = call.rows.map { row in
            switch row.content {
            case .span(let span): object(of: span, depth: row.depth, since: zero)
            case .mark(let mark): object(of: mark, depth: row.depth, since: zero)
            }
        }
        return "\n{\"number\":\(call.number),\"name\":\(call.name.shown),"
            + "\"start\":\(zero.milliseconds(to: extent.first)),"
            + "\"end\":\(zero.milliseconds(to: extent.last)),"
            + "\"dropped\":\(call.eventsDropped),\"rows\":[\(rows.joined(separator: ","))\n]}"
    }

    /// Returns a span as JSON, without an end and an outcome while the span is in progress.
    private static func object(
        of span: RecordedCall.Span, depth: Int, since zero: SchedulerInstant
    ) -> String {
        var fields = "\"name\":\(span.name.shown),\"attempt\":\(span.attempt)"
        if let end = span.end {
            fields += ",\"end\":\(zero.milliseconds(to: end)),\"outcome\":\(span.outcome.shown)"
        }
        return row(fields, by: span.policy, zero.milliseconds(to: span.start), span.facts, depth)
    }

    private static func object(
        of mark: RecordedCall.Mark, depth: Int, since zero: SchedulerInstant
    ) -> String {
        row(
            "\"event\":\(mark.word.shown)", by: mark.policy, zero.milliseconds(to: mark.instant),
            mark.facts, depth)
    }

    private static func row(
        _ fields: String, by policy: String, _ start: String, _ facts: [EventFact], _ depth: Int
    ) -> String {
        let facts = facts.map { "[\($0.key.shown),\($0.value.shown)]" }.joined(separator: ",")
        return "\n{\"depth\":\(depth),\(fields),\"policy\":\(policy.shown),\"start\":\(start),"
            + "\"facts\":[\(facts)]}"
    }
}

extension SchedulerInstant {
    fileprivate func milliseconds(to other: SchedulerInstant) -> String {
        duration(to: other).decimal(in: .millisecond)
    }
}

extension String {
    /// A JSON string in which a reader sees every scalar.
    ///
    /// A scalar that shows nothing, or changes the direction of writing, becomes an escape like `\u{202E}`.
    fileprivate var shown: String { withVisibleScalars.quoted }

    /// JSON without the characters that HTML could take for a tag, a comment or the element's end.
    ///
    /// These characters occur only within strings, where they are replaced by JSON's escapes. (HTML, "Restrictions for
    /// contents of script elements".)
    fileprivate var escapedForScript: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(utf8.count)
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "<"): bytes += "\\u003c".utf8
            case UInt8(ascii: ">"): bytes += "\\u003e".utf8
            case UInt8(ascii: "&"): bytes += "\\u0026".utf8
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The style of a recorder's page.
///
/// Colours follow the reader's light or dark setting. A sign, a pattern and a word repeat the meaning of each colour.
enum TracePageStyle {
    static let css = colours + layout + list

    private static let colours = #"""
        :root {
          color-scheme: light dark;
          --back: #fff; --panel: #f4f5f7; --ink: #1c2026; --faint: #5b6370; --line: #d3d7de;
          --chosen: #dce9fb; --match: #fff0b8; --focus: #1f5fbf;
          --success: #1b6e43; --retryable: #8a5200; --failure: #b3202c; --ignorable: #5b6370;
          --unfinished: #1f5fbf; --event: #6d35a8;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --back: #14171c; --panel: #1d2128; --ink: #e6e9ee; --faint: #a3abb8; --line: #394049;
            --chosen: #23405f; --match: #57480f; --focus: #7db4ff;
            --success: #6fcf97; --retryable: #eab258; --failure: #ff8a8a; --ignorable: #a3abb8;
            --unfinished: #7db4ff; --event: #cba2f5;
          }
        }
        .success { --kind: var(--success); } .retryable { --kind: var(--retryable); }
        .failure { --kind: var(--failure); } .ignorable { --kind: var(--ignorable); }
        .unfinished { --kind: var(--unfinished); } .event { --kind: var(--event); }

        """#

    private static let layout = #"""
        * { box-sizing: border-box; }
        body {
          margin: 0; height: 100vh; background: var(--back); color: var(--ink);
          font: 14px/1.45 system-ui, sans-serif; display: grid;
          grid-template: auto minmax(0, 1fr) / 17rem minmax(0, 1fr) 19rem;
        }
        header {
          grid-column: 1 / -1; display: flex; flex-wrap: wrap; align-items: center; gap: .5rem;
          padding: .5rem .75rem; background: var(--panel); border-bottom: 1px solid var(--line);
        }
        noscript { grid-column: 1 / -1; padding: .75rem; }
        h1, h2, h3, p, dl, dd { margin: 0; }
        h1 { font-size: 1rem; margin-right: auto; }
        h2, h3 { font-size: 1rem; overflow-wrap: anywhere; unicode-bidi: isolate; }
        #status { min-width: 13rem; color: var(--faint); }
        input, button {
          font: inherit; color: inherit; background: var(--back); border: 1px solid var(--line);
          border-radius: 4px; padding: .2rem .55rem; min-height: 2rem;
        }
        input { width: 17rem; max-width: 100%; }
        button { min-width: 2rem; cursor: pointer; }
        :focus-visible { outline: 2px solid var(--focus); outline-offset: -2px; }
        main { display: flex; flex-direction: column; min-width: 0; min-height: 0; }
        main > h2, #summary, #dropped, #zoom { padding: .3rem .75rem 0; }
        #summary, output { color: var(--faint); }
        #dropped { color: var(--retryable); }
        #zoom { display: flex; flex-wrap: wrap; gap: .3rem; align-items: center; }
        #legend { padding: .3rem .75rem; border-top: 1px solid var(--line); }
        #legend p { padding-top: .3rem; }
        #legend b { color: var(--kind); }
        kbd { border: 1px solid var(--line); border-radius: 3px; padding: 0 .3em; }
        #calls { border-right: 1px solid var(--line); }
        #details { overflow: auto; padding: .6rem .75rem; border-left: 1px solid var(--line); }
        dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .1rem .75rem; }
        dt { color: var(--faint); }
        dd { overflow-wrap: anywhere; unicode-bidi: isolate; }
        #details h3 ~ h3 { margin-top: .75rem; }
        @media (max-width: 1000px) {
          body { grid-template: auto minmax(0, 1fr) 12rem / 15rem minmax(0, 1fr); }
          #details { grid-column: 1 / -1; border-left: 0; border-top: 1px solid var(--line); }
        }
        @media (max-width: 640px) {
          body { display: block; height: auto; }
          #calls { max-height: 9rem; border-right: 0; border-bottom: 1px solid var(--line); }
          main { height: 75vh; min-height: 20rem; }
          input { flex: 1; min-width: 8rem; } h1 { width: 100%; }
        }

        """#

    private static let list = #"""
        .list { overflow: auto; position: relative; flex: 1; min-height: 0; }
        .list > div { position: relative; }
        .list > div > div {
          position: absolute; left: 0; right: 0; display: flex; align-items: center;
          white-space: nowrap; overflow: hidden; cursor: default; padding: 0 .5rem;
        }
        .chosen { background: var(--chosen); box-shadow: inset 3px 0 var(--focus); }
        .match .title { background: var(--match); text-decoration: underline; }
        .title, .note { overflow: hidden; text-overflow: ellipsis; unicode-bidi: isolate; }
        .note { flex: 1 1 0; padding-left: .5rem; color: var(--faint); }
        .note:empty { display: none; }
        @media (max-width: 640px) { .note { display: none; } }
        .more { margin-left: auto; padding-left: .5rem; color: var(--faint); }
        .sign { flex: none; width: 1.3em; text-align: center; font-weight: 700; color: var(--kind); }
        .toggle { flex: none; width: 1.3em; text-align: center; color: var(--faint); }
        .label { flex: none; width: var(--label); display: flex; overflow: hidden; }
        .lane { flex: 1; position: relative; height: 100%; overflow: hidden; }
        #rows, #axis { --label: clamp(9rem, 34%, 22rem); }
        .scale { position: absolute; inset: 0 6px; }
        .bar {
          position: absolute; top: 5px; bottom: 5px; min-width: 3px; border-radius: 2px;
          background: var(--kind); border: 1px solid var(--kind);
        }
        .bar.failure, .bar.retryable {
          background: repeating-linear-gradient(135deg, var(--kind) 0 4px, var(--back) 4px 7px);
        }
        .bar.ignorable { background: none; border-style: dashed; }
        .bar.unfinished { background: linear-gradient(90deg, var(--kind), transparent); }
        .point {
          position: absolute; top: 50%; width: 9px; height: 9px; margin: -5px 0 0 -5px;
          background: var(--kind); transform: rotate(45deg);
        }
        #axis {
          flex: none; display: flex; height: 1.7rem; padding: 0 .5rem; margin-top: .3rem;
          border-bottom: 1px solid var(--line); overflow: hidden;
        }
        #axis > div { flex: 1; position: relative; inset: 0; margin: 0 6px; }
        #axis > div > span {
          position: absolute; top: 0; height: 100%; padding-left: 3px; white-space: nowrap;
          font-size: .8rem; color: var(--faint); border-left: 1px solid var(--line);
        }
        @media (forced-colors: active) { .bar, .point { forced-color-adjust: none; } }

        """#
}

extension String {
    /// The text with an escape like `\u{202E}` for each scalar that is neither visible nor a space.
    var withVisibleScalars: String {
        if unicodeScalars.allSatisfy(\.isPlain) { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            if scalar.isPlain {
                text.unicodeScalars.append(scalar)
            } else {
                text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            }
        }
    }
}

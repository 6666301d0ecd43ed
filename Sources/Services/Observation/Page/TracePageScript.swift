/// The script of the page of a recorder: what is known, time, what is drawn, and what the reader does.
enum TracePageScript {
    /// The calls and their rows, what is chosen, and what a search finds.
    static let model = #"""
        "use strict";
        const element = (id) => document.getElementById(id);
        const signs = {
          success: "✓", retryable: "↻", failure: "✕", ignorable: "–", unfinished: "…", event: "◆",
        };
        const calls = JSON.parse(element("data").textContent);
        for (const call of calls) {
          call.rows.forEach((row, index) => {
            const isSpan = row.event === undefined;
            const kind = isSpan ? row.outcome ?? "unfinished" : "event";
            const note = row.facts.map(([key, value]) => `${key}=${value}`).join(" ");
            const hasInside = call.rows[index + 1]?.depth > row.depth;
            Object.assign(row, { index, isSpan, kind, note, hasInside, title: row.name ?? row.event });
            row.text = `${row.title} ${kind} ${row.policy} ${note}`.toLowerCase();
          });
          call.kind = call.rows[0]?.kind ?? "unfinished";
          call.text = call.rows.map((row) => row.text).join("\n");
        }

        // from and to: the shown time. closed: the spans whose insides are hidden.
        const state = { call: undefined, row: undefined, from: 0, to: 1, closed: new Set(), words: [] };

        // Whether a text has every word that is searched for.
        const isFound = (text) => state.words.every((word) => text.includes(word));
        const isMarked = (row) => state.words.length > 0 && isFound(row.text);

        // The rows that are not within a closed span.
        function openRows() {
          let closed = Infinity;
          return state.call.rows.filter((row) => {
            if (row.depth > closed) return false;
            closed = state.closed.has(row) ? row.depth : Infinity;
            return true;
          });
        }

        function plural(count, word) {
          return `${count} ${word}${count === 1 ? "" : word.endsWith("s") ? "es" : "s"}`;
        }

        // What the policies did in a call, in a line.
        function summary(call) {
          const kinds = {
            attempt: (row) => row.isSpan && row.policy === "retry",
            hedge: (row) => row.event === "hedged",
            "cache hit": (row) => row.event === "hit",
            "cache miss": (row) => row.event === "miss",
            redirect: (row) => !row.isSpan && row.policy === "redirect",
            timeout: (row) => row.event === "timed_out",
          };
          return Object.entries(kinds).map(([word, test]) => [call.rows.filter(test).length, word])
            .filter(([count]) => count > 0).map(([count, word]) => plural(count, word)).join(", ");
        }

        """#

    /// The shown part of a call's time.
    static let time = #"""
        // A time in the unit that suits the whole call, as the text waterfall writes it.
        function timeText(milliseconds, call = state.call, digits = 1) {
          const total = call.end - call.start;
          if (total < 1) return `${(milliseconds * 1000).toFixed(digits)} µs`;
          if (total < 10000) return `${milliseconds.toFixed(digits)} ms`;
          return `${(milliseconds / 1000).toFixed(digits)} s`;
        }

        const endOf = (row) => row.isSpan ? row.end ?? state.call.end : row.start;

        // Where an instant is drawn, in percent of the shown time.
        const place = (instant) => 100 * (instant - state.from) / (state.to - state.from);

        // Shows a part of the call's time: a nanosecond or more, and nothing outside of the call.
        function showTime(from, to) {
          const whole = Math.max(state.call.end - state.call.start, 1e-6);
          const width = Math.min(whole, Math.max(to - from, whole / 1e6, 1e-6));
          const latest = state.call.start + whole - width;
          state.from = Math.min(Math.max(from, state.call.start), latest);
          state.to = state.from + width;
          draw();
        }

        function zoom(factor, around = (state.from + state.to) / 2) {
          showTime(around - (around - state.from) * factor, around + (state.to - around) * factor);
        }

        function move(part) {
          const way = (state.to - state.from) * part;
          showTime(state.from + way, state.to + way);
        }

        const showWhole = () => showTime(state.call.start, state.call.end);
        const showSpan = () => state.row && showTime(state.row.start, endOf(state.row));

        // The instants that the axis names: at steps of 1, 2 or 5 times a power of ten, and their digits.
        function ticks(count) {
          const least = (state.to - state.from) / count;
          const power = 10 ** Math.floor(Math.log10(least));
          const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= least);
          const total = state.call.end - state.call.start;
          const size = total < 1 ? step * 1000 : total < 10000 ? step : step / 1000;
          const digits = Math.min(9, Math.max(0, Math.ceil(-Math.log10(size) - 1e-9)));
          const first = Math.ceil((state.from - state.call.start) / step);
          return Array.from({ length: count + 1 }, (_, index) => (first + index) * step)
            .filter((instant) => instant <= state.to - state.call.start)
            .map((instant) => ({ instant: instant + state.call.start, digits }));
        }

        """#
}

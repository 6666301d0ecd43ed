extension TracePageScript {
    /// What the reader does, and what is drawn anew after it.
    static let control = #"""
        const callList = new List("calls", 30, callLine);
        const rowList = new List("rows", 26, rowLine);

        function drawAxis() {
          const axis = element("axis").lastElementChild;
          const scrollBar = rowList.box.offsetWidth - rowList.box.clientWidth;
          element("axis").style.paddingRight = `calc(.5rem + ${scrollBar}px)`;
          const count = Math.max(2, Math.floor(axis.clientWidth / 90));
          axis.replaceChildren(...ticks(count).map(({ instant, digits }) => {
            const tick = make("span", "", timeText(instant - state.call.start, state.call, digits));
            tick.style.left = `${place(instant)}%`;
            return tick;
          }));
          const [from, to] = [state.from, state.to].map((time) => timeText(time - state.call.start));
          element("range").textContent = `${from} to ${to}`;
        }

        function draw() {
          rowList.show(openRows());
          drawAxis();
        }

        function facts(pairs) {
          const list = make("dl");
          for (const [key, value] of pairs) list.append(make("dt", "", key), make("dd", "", value));
          return list;
        }

        // Everything that is known of a row, and the first events within it.
        function drawDetails() {
          const { row, call } = state;
          const since = (instant) => timeText(instant - call.start);
          const pairs = [["kind", row.isSpan ? "span" : "event"], ["policy", row.policy]];
          if (row.isSpan) pairs.push(["outcome", `${signs[row.kind]} ${row.kind}`], ["attempt", row.attempt]);
          pairs.push(["start", since(row.start)]);
          if (row.end !== undefined) {
            pairs.push(["end", since(row.end)], ["took", timeText(row.end - row.start)]);
          }
          const inside = call.rows.slice(row.index + 1);
          const end = inside.findIndex((other) => other.depth <= row.depth);
          const events = inside.slice(0, end < 0 ? undefined : end)
            .filter((other) => !other.isSpan && other.depth === row.depth + 1);
          const parts = [make("h3", "", row.title), facts([...pairs, ...row.facts])];
          if (events.length > 0) {
            parts.push(make("h3", "", plural(events.length, "event")));
            parts.push(facts(events.slice(0, 100).map((other) =>
              [since(other.start), `${other.event} ${other.note}`])));
          }
          if (events.length > 100) parts.push(make("p", "", `and ${events.length - 100} more`));
          element("details").replaceChildren(...parts);
        }

        function chooseRow(row) {
          if (!row) return;
          if (!rowList.items.includes(row)) {
            state.closed.clear();
            draw();
          }
          state.row = row;
          rowList.choose(row);
          drawDetails();
        }

        function chooseCall(call) {
          if (!call) return;
          Object.assign(state, { call, closed: new Set() });
          callList.choose(call);
          element("name").textContent = call.name;
          element("summary").textContent = [
            `call ${call.number}`, call.kind, `took ${timeText(call.end - call.start)}`,
            `began at ${timeText(call.start, call)}`, summary(call)].filter(Boolean).join(" · ");
          element("dropped").hidden = call.dropped === 0;
          element("dropped").textContent = `${plural(call.dropped, "more event")} not kept.`;
          showWhole();
          chooseRow(call.rows.find(isMarked) ?? call.rows[0]);
        }

        function toggle(row, isClosed = !state.closed.has(row)) {
          if (!row.hasInside) return;
          state.closed[isClosed ? "add" : "delete"](row);
          draw();
        }

        function search() {
          state.words = element("search").value.toLowerCase().split(/\s+/).filter(Boolean);
          const found = calls.filter((call) => isFound(call.text));
          callList.show(found);
          const rows = found.reduce((sum, call) => sum + call.rows.filter(isMarked).length, 0);
          element("status").textContent = state.words.length === 0
            ? plural(calls.length, "call")
            : `${found.length} of ${plural(calls.length, "call")}, ${plural(rows, "row")} found`;
          if (found.length > 0 && !found.includes(state.call)) return chooseCall(found[0]);
          if (state.words.length > 0) state.closed.clear();
          draw();
        }

        // The next row that the search finds, from the chosen one on, and from the first again.
        function findNext() {
          const rows = state.call.rows;
          chooseRow(rows.slice(state.row.index + 1).find(isMarked) ?? rows.find(isMarked));
        }

        """#
}

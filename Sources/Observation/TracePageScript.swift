enum TracePageScript {
    /// JavaScript for the calls, their rows, the reader's choices, and the search.
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

        // from and to: the part of the time that is shown. closed: the spans whose rows are hidden.
        const state = { call: undefined, row: undefined, from: 0, to: 1, closed: new Set(), words: [] };

        // True if a text has every word of the search.
        const isFound = (text) => state.words.every((word) => text.includes(word));
        const isMarked = (row) => state.words.length > 0 && isFound(row.text);

        // The rows outside closed spans.
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

    /// JavaScript for the part of a call's time that is shown.
    static let time = #"""
        // A time in the unit that suits the whole call, as the text waterfall writes it.
        function timeText(milliseconds, call = state.call, digits = 1) {
          const total = call.end - call.start;
          if (total < 1) return `${(milliseconds * 1000).toFixed(digits)} µs`;
          if (total < 10000) return `${milliseconds.toFixed(digits)} ms`;
          return `${(milliseconds / 1000).toFixed(digits)} s`;
        }

        const endOf = (row) => row.isSpan ? row.end ?? state.call.end : row.start;

        // The position of an instant, in percent of the shown time.
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

        // Returns the labelled instants of the axis, 1, 2 or 5 times a power of ten apart, and how many digits they need.
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

extension TracePageScript {
    /// JavaScript that draws the two lists.
    static let view = #"""
        // Text is set as text, never as markup.
        function make(tag, className = "", text = "") {
          const made = document.createElement(tag);
          made.className = className;
          made.textContent = text;
          return made;
        }

        function attributes(made, values) {
          for (const [name, value] of Object.entries(values)) made.setAttribute(name, value);
          return made;
        }

        // A list that draws only the lines in sight, however many there are.
        class List {
          constructor(id, height, line) {
            Object.assign(this, { box: element(id), height, line, items: [], chosen: undefined });
            this.pane = this.box.firstElementChild;
            this.box.addEventListener("scroll", () => this.draw());
            new ResizeObserver(() => this.draw()).observe(this.box);
          }
          show(items) {
            this.items = items;
            this.pane.style.height = `${items.length * this.height}px`;
            this.draw();
          }
          choose(item) {
            this.chosen = item;
            const top = Math.max(0, this.items.indexOf(item)) * this.height;
            const lowest = top + this.height - this.box.clientHeight;
            this.box.scrollTop = Math.min(top, Math.max(lowest, this.box.scrollTop));
            this.draw();
          }
          // Returns the item at a distance after the chosen one, or before it if the distance is negative.
          after(distance) {
            const index = this.items.indexOf(this.chosen) + distance;
            return this.items[Math.min(this.items.length - 1, Math.max(0, index))];
          }
          at(event) {
            const top = this.pane.getBoundingClientRect().top;
            return this.items[Math.floor((event.clientY - top) / this.height)];
          }
          draw() {
            const { scrollTop, clientHeight } = this.box;
            const first = Math.max(0, Math.floor(scrollTop / this.height) - 3);
            const last = Math.ceil((scrollTop + clientHeight) / this.height) + 3;
            this.pane.replaceChildren(...this.items.slice(first, last).map((item, index) => {
              const line = attributes(this.line(item), {
                id: `${this.box.id}-${first + index}`, "aria-setsize": this.items.length,
                "aria-posinset": first + index + 1, "aria-selected": item === this.chosen,
              });
              line.classList.toggle("chosen", item === this.chosen);
              line.style.top = `${(first + index) * this.height}px`;
              line.style.height = `${this.height}px`;
              return line;
            }));
            const active = `${this.box.id}-${this.items.indexOf(this.chosen)}`;
            this.box.setAttribute("aria-activedescendant", element(active) ? active : "");
          }
        }

        function callLine(call) {
          const took = call.kind === "unfinished" ? "" : timeText(call.end - call.start, call);
          const line = attributes(make("div"), {
            role: "option", title: `call ${call.number}: ${call.name}`,
            "aria-label": `call ${call.number}, ${call.name}, ${call.kind}, ${took}`,
          });
          line.append(
            make("span", `sign ${call.kind}`, signs[call.kind]), make("span", "title", call.name),
            make("span", "more", took));
          return line;
        }

        function rowWords(row) {
          const start = timeText(row.start - state.call.start);
          const took = row.end === undefined ? "" : `, took ${timeText(row.end - row.start)}`;
          return `${row.title}, ${row.kind}, at ${start}${took}${row.note ? `, ${row.note}` : ""}`;
        }

        function rowLine(row) {
          const line = attributes(make("div", isMarked(row) ? "match" : ""), {
            role: "treeitem", "aria-level": row.depth + 1, "aria-label": rowWords(row), title: rowWords(row),
          });
          const isClosed = state.closed.has(row);
          if (row.hasInside) line.setAttribute("aria-expanded", !isClosed);
          const label = make("span", "label");
          label.style.paddingLeft = `${Math.min(row.depth, 12) * 0.8}em`;
          label.append(
            make("span", "toggle", row.hasInside ? (isClosed ? "▸" : "▾") : ""),
            make("span", `sign ${row.kind}`, signs[row.kind]), make("span", "title", row.title),
            make("span", "note", row.note));
          const [lane, scale] = [make("span", "lane"), make("span", "scale")];
          const shape = make("span", `${row.isSpan ? "bar" : "point"} ${row.kind}`);
          // A bar that reaches far out of sight is cut, because browsers can't draw a bar millions of pixels long.
          const left = Math.max(-10, Math.min(110, place(row.start)));
          shape.style.left = `${left}%`;
          if (row.isSpan) shape.style.width = `${Math.min(120, place(endOf(row)) - left)}%`;
          scale.append(shape);
          lane.append(scale);
          line.append(label, lane);
          return line;
        }

        """#
}

extension TracePageScript {
    /// JavaScript that handles the reader's actions, and redraws the rows, the axis and the details.
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

        // The next row after the chosen one that the search finds; after the last row, it starts again at the first.
        function findNext() {
          const rows = state.call.rows;
          chooseRow(rows.slice(state.row.index + 1).find(isMarked) ?? rows.find(isMarked));
        }

        """#
}

extension TracePageScript {
    /// JavaScript for the keys, the buttons and the wheel.
    static let input = #"""
        const listKeys = (list, choose) => ({
          ArrowDown: () => choose(list.after(1)), ArrowUp: () => choose(list.after(-1)),
          PageDown: () => choose(list.after(10)), PageUp: () => choose(list.after(-10)),
          Home: () => choose(list.items[0]), End: () => choose(list.items.at(-1)),
        });
        const timeKeys = {
          "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), "0": showWhole,
          ",": () => move(-0.25), ".": () => move(0.25), Enter: showSpan,
        };
        const treeKeys = {
          ArrowLeft: () => state.row.hasInside && !state.closed.has(state.row)
            ? toggle(state.row, true)
            : chooseRow(state.call.rows.slice(0, state.row.index)
              .findLast((row) => row.depth < state.row.depth)),
          ArrowRight: () => state.closed.has(state.row)
            ? toggle(state.row, false) : state.row.hasInside && chooseRow(rowList.after(1)),
          " ": () => toggle(state.row),
        };

        function onKeys(target, keys) {
          target.addEventListener("keydown", (event) => {
            if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return;
            event.preventDefault();
            keys[event.key]();
          });
        }

        function onWheel(target, isZoom) {
          target.addEventListener("wheel", (event) => {
            if (!isZoom(event)) return;
            event.preventDefault();
            const axis = element("axis").lastElementChild.getBoundingClientRect();
            const part = Math.min(1, Math.max(0, (event.clientX - axis.left) / axis.width));
            const around = state.from + part * (state.to - state.from);
            zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 300))), around);
          }, { passive: false });
        }

        function start() {
          callList.box.addEventListener("click", (event) => chooseCall(callList.at(event)));
          rowList.box.addEventListener("click", (event) => {
            chooseRow(rowList.at(event));
            if (event.target.className === "toggle") toggle(state.row);
          });
          rowList.box.addEventListener("dblclick", showSpan);
          onKeys(callList.box, listKeys(callList, chooseCall));
          onKeys(rowList.box, { ...listKeys(rowList, chooseRow), ...treeKeys, ...timeKeys });
          onKeys(element("search"), { Enter: findNext });
          onWheel(rowList.box, (event) => event.ctrlKey || event.metaKey);
          onWheel(element("axis"), () => true);
          const buttons = { in: "+", out: "-", earlier: ",", later: ".", fit: "Enter", whole: "0" };
          for (const [id, key] of Object.entries(buttons)) element(id).addEventListener("click", timeKeys[key]);
          new ResizeObserver(drawAxis).observe(element("axis"));
          element("search").addEventListener("input", search);
          document.addEventListener("keydown", (event) => {
            if (event.key !== "/" || event.target === element("search")) return;
            event.preventDefault();
            element("search").focus();
          });
        }

        if (calls.length > 0) {
          start();
          search();
        } else {
          element("name").textContent = "No call was recorded.";
        }
        """#
}

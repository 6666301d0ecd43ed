extension TracePageScript {
    /// What is drawn: the two lists, the axis, the details.
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
          // The item so many places after the chosen one.
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
          // A bar that reaches far out of sight is cut: browsers draw no lengths of millions.
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

extension TracePageScript {
    /// Keys, buttons and the wheel.
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

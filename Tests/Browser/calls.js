// What the scenarios of recorded calls ask: the row of a title, and where bars and points stand.
globalThis.row = (text) => all('#rows [role=treeitem]').find((e) => e.querySelector('.title').textContent === text)
globalThis.percents = () => all('.bar, .point').map((e) => Math.round(parseFloat(e.style.left))
  + '+' + Math.round(parseFloat(e.style.width || '0'))).join(' ')
